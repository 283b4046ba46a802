"""Chinese messages of the frame around every section of Learn."""

from __future__ import annotations

MESSAGES = {
    "tab_learn": "学习",
    "learn_intro": "改变数值，弄懂 Transformer 怎样工作。面向学生和教师：从这里的第 1 节开始；想用自己的文本，请到“探"
    "索”。",
    "learn_group_basics": "基础",
    "learn_group_tricks": "三个技巧",
    "learn_group_building": "搭建 Transformer",
    "learn_group_reasons": "为什么这样有效",
    "learn_group_modern": "现代 Transformer",
    "learn_group_beyond": "更进一步",
    "learn_sections": "小节",
    "learn_previous": "上一节（B 键）",
    "learn_next": "下一节（N 键）",
    "learn_chip": "{number}：{title}{done, select, yes {，已作答} other {}}"
    "{solved, select, yes {，谜题已解开} other {}}",
    "learn_progress": "全部小节：已答 {done} / {count}",
    "learn_kept": "✓ 已答 {answered, plural, other {# 题}}，"
    "◆ 已解开 {solved, plural, other {# 个谜题}}：只保存在这个浏览器中。",
    "learn_clear": "清除",
    "learn_clear_really": "清除全部进度？",
    "learn_loading": "正在加载本节……",
    "learn_again": "重试",
    "learn_try": "试一试",
    "learn_reset": "重置",
    "learn_reset_hint": "恢复本节的初始状态",
    "learn_puzzle": "谜题",
    "learn_puzzle_solved": "已解开",
    "learn_check": "自测",
    "learn_check_wait": "正在运行代码……",
    "learn_check_right": "答对了。{said}",
    "learn_check_wrong": "不对，正确答案是“{right}”。{said}",
    "learn_open_in": "在其他标签页继续：",
    "learn_code": "代码",
    "learn_code_place": "{file}，第 {line} 行",
    "learn_code_values": "显示我的数值",
    "learn_code_values_hint": "以面板当前状态运行这段代码，列出各个张量",
    "learn_code_shape": "{name}（{shape}）",
    "learn_words_limit": "最多 {most} 个词，总共不超过 {letters} 个字符。",
}
