"""The language's name, the words of Plotly's toolbar, and the class names in a classifier's card."""

from __future__ import annotations

MESSAGES = {
    "language_name": "English",
    "language_choose": "Language",
    "chart_save": "Download plot as a PNG",
    "chart_zoom_in": "Zoom in",
    "chart_zoom_out": "Zoom out",
    "chart_reset": "Reset axes",
    "chart_zoomed": "Double-click to zoom back out",
    "chart_legend": "Double-click a name in the legend to show that line alone",
    "class_is_positive": "positive",
    "class_is_negative": "negative",
}
