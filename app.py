"""The app, from the repository: `python app.py [FOLDER-OR-ID ...]`; installed, it is `former-app`. See `viz.app`."""

from viz.app import main

if __name__ == "__main__":
    main()
