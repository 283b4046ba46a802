"""The language's name, the words of Plotly's toolbar, and the class names in a classifier's card."""

from __future__ import annotations

MESSAGES = {
    "language_name": "中文",
    "language_choose": "语言",
    "chart_save": "将图保存为 PNG",
    "chart_zoom_in": "放大",
    "chart_zoom_out": "缩小",
    "chart_reset": "恢复坐标轴",
    "chart_zoomed": "双击恢复原来的范围",
    "chart_legend": "双击图例中的名称，只显示这一条线",
    "class_is_positive": "正面",
    "class_is_negative": "负面",
}
