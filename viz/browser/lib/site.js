// The data that Python gives to the scripts (viz/browser/__init__.py): colours, fonts, tabs with their panels, limits.

export const site = JSON.parse(`${document.querySelector("#former-site")?.textContent}`);
