// What Python hands to the scripts (viz/browser/__init__.py): the colours, the tabs and their panels, the limits.

export const site = JSON.parse(document.getElementById("former-site").textContent);
