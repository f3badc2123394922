"""Modules in the place of hosts that are not installed."""

import sys
from types import ModuleType

import pytest


@pytest.fixture
def install(monkeypatch):
    """Put a module into the place of a host's; attributes by keyword."""

    def put(name, **attributes):
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return put
