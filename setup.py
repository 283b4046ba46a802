"""A build step that pyproject.toml cannot express: the wheel contains the shipped models as `former/shipped`."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithModels(build_py):
    """Builds the packages, and copies `checkpoints/` into the build as `former/shipped`."""

    def run(self) -> None:
        """Runs `build_py`, then copies; an editable install reads `checkpoints/` itself."""
        super().run()
        if not self.editable_mode:
            shutil.copytree("checkpoints", Path(self.build_lib) / "former" / "shipped", dirs_exist_ok=True)


setup(cmdclass={"build_py": WithModels})
