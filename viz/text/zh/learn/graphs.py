"""Chinese messages of Learn's section "Sets, images, graphs"."""

from __future__ import annotations

MESSAGES = {
    "learn_graphs_title": "集合、图像、图",
    "learn_graphs_text": "对注意力来说，句子只是一个由单元组成的集合。\n\n没有任何东西表明这些单元是词，也没有表明它们"
    "排成一列：顺序来自位置编码，结构来自掩码（mask）。所以你可以画一个图（graph）：一条边让两个单元互相关注。一层能到"
    "达邻居，再一层能到达邻居的邻居。热图（map）是实测的：依次改变每个单元，它到达不了的输出分毫不变。\n\n如果把单元连"
    "同它们的边一起重新命名，输出也会跟着移动，这就是排列等变（permutation equivariance）。图像也是一种图：每个像素与周"
    "围的像素相连。这里的向量和权重都是随机的，没有经过训练。",
    "learn_graphs_units": "单元",
    "learn_graphs_layers": "层数",
    "learn_graphs_rename": "重命名",
    "learn_graphs_rename_hint": "改变单元在列表中的顺序，边随之改变",
    "learn_graphs_graph": "单元和它们之间的边。Enter 键选择一个单元；E 键画出或删除它与所选单元之间的边。",
    "learn_graphs_hint": "从一个单元拖到另一个单元，画出或删除一条边。点击一个单元，看它能到达哪些单元。",
    "learn_graphs_unit": "{name}{kind, select, chosen {，已选中} reached {，从 {other} 经过 {need, plural, other {#"
    " 层}}可以到达} other {，从 {other} 到达不了}}",
    "learn_graphs_map": "每个输出（行）随每个输入（列）变化多少",
    "learn_graphs_point": "把指针移到单元格上查看数值；点击则画出或删除这条边。",
    "learn_graphs_read": "改变 {input}，{kind, select, none {{output} 的输出分毫不变} other {{output} 的输出最多变化"
    " {moved}}}。",
    "learn_graphs_outputs": "输出",
    "learn_graphs_renamed": "重命名后的输出",
    "learn_graphs_moved": "{kind, select, none {点“重命名”，看输出怎样跟着移动。} other {连同边一起重命名，输出一致，误"
    "差不超过 {moved}。如果边没有重命名，输出会相差 {stayed}。}}",
    "learn_graphs_lesson": "经过 {layers, plural, other {# 层}}，“{name}”可以从其他 {others, plural, other {# 个单元}}"
    "中的 {reached} 个得到信息。",
    "learn_graphs_lesson_both": "图像和它的说明文字在同一个集合里：经过 {layers, plural, other {# 层}}，“{name}”能得"
    "到 {pixels, plural, other {# 个像素}}和另外 {characters, plural, other {# 个字符}}的信息。",
    "learn_graphs_try_set": "集合：全部互相关注",
    "learn_graphs_try_picture": "图像：{side} × {side} 像素",
    "learn_graphs_try_both": "像素和字符在同一个集合里",
    "learn_graphs_puzzle": "用 {count} 个单元和至多 {edges} 条边，使任意两个单元在 2 层之内互相到达。",
    "learn_graphs_question": "五个单元排成一列，每个与下一个相连。经过几层，第一个单元才可能依赖最后一个？",
    "learn_graphs_choice": "{count}",
    "learn_graphs_answer": "改变最后一个单元，经过 1、2、3、4 层后，第一个单元的输出分别变化 {changes}。",
}
