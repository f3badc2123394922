"""Write a GGUF file as a folder that transformers loads at once: python save_gguf_as_folder.py FILE FOLDER.

Runs in an environment that has transformers, gguf and accelerate.
"""

import sys
from pathlib import Path


def main(file: Path, folder: Path) -> None:
    import torch  # noqa: PLC0415 - only in the environment of the server
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig  # noqa: PLC0415

    place, given = str(file.parent), {"gguf_file": file.name, "local_files_only": True}
    model = AutoModelForCausalLM.from_pretrained(
        place, **given, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32
    )
    AutoTokenizer.from_pretrained(place, **given).save_pretrained(folder)
    model.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
