"""What pyproject.toml cannot say: the shipped models stand in the wheel as `former/shipped`."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithModels(build_py):
    """Builds the packages, and copies `checkpoints/` beside them."""

    def run(self) -> None:
        """As `build_py` does, then the copy; an editable install reads `checkpoints/` itself."""
        super().run()
        if not self.editable_mode:
            shutil.copytree("checkpoints", Path(self.build_lib) / "former" / "shipped", dirs_exist_ok=True)


setup(cmdclass={"build_py": WithModels})
