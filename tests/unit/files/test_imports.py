"""What importing the package does not bring."""

import subprocess
import sys

from gameproof import files


def test_importing_files_brings_neither_pydantic_nor_pyarrow():
    code = "import sys, gameproof.files as f; f.digest_of(1); f.RunFolder; f.write_rows\n"
    code += "print(sorted({'pydantic', 'pyarrow', 'pandas', 'polars'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=120)
    assert done.stdout.decode().strip() == "[]"


def test_every_public_name_loads():
    assert sorted(files.__all__) == files.__all__ == dir(files)
    assert all(getattr(files, name) is not None for name in files.__all__)
