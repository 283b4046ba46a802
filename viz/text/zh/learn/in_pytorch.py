"""Chinese messages of Learn's section "In PyTorch"."""

from __future__ import annotations

MESSAGES = {
    "learn_in_pytorch_title": "用 PyTorch 实现",
    "learn_in_pytorch_text": "自注意力（self-attention）用 PyTorch 写只要三行。\n\nx 是一个句子，每个词占一行；这里的向"
    "量取自一个影评分类器，是训练得到的。第一行代码一次算出所有点积，第二行把每一行点积变成权重，第三行算出所有输出。这"
    "些向量很短：直接使用时，每个词都给其他各词分一份权重，y 的各行也很相似；乘以 16 之后，每个词才有所侧重。\n\n下面的"
    "普通循环逐个数地做同样的计算，得到同样的输出，差别只在时间：矩阵乘法只是调用一次编译好的代码。"
    "每个形状的第一个数是批次大小（batch size）：同样这三行代码可以同时处理多个句子。",
    "learn_in_pytorch_text_field": "文本，最多 {most} 个词",
    "learn_in_pytorch_x": "x = “{model}”的词向量",
    "learn_in_pytorch_raw_label": "原始权重：每个词与每个词的点积",
    "learn_in_pytorch_weights_label": "权重：对每一行取 softmax",
    "learn_in_pytorch_read": "{name}[0, {row}, {column}] = {value}：“{word}”的第 {column} 个数",
    "learn_in_pytorch_read_pair": "{name}[0, {row}, {column}] = {value}：从“{word}”到“{other}”",
    "learn_in_pytorch_point": "把指针移到张量上查看数值。",
    "learn_in_pytorch_measure": "重新测量",
    "learn_in_pytorch_time_loop": "普通循环",
    "learn_in_pytorch_time_lines": "三行代码",
    "learn_in_pytorch_microseconds": "{value} 微秒",
    "learn_in_pytorch_milliseconds": "{value} 毫秒",
    "learn_in_pytorch_times": "处理 {words, plural, other {# 个词}}时，速度是循环的 {factor} 倍，刚刚在本服务器上测得。"
    "两者的输出在舍入误差（{error}）内一致。",
    "learn_in_pytorch_times_factor": "向量 × {factor}",
    "learn_in_pytorch_lesson": "若平均分配，每个权重为 {even}。用训练得到的向量，没有权重超过 {plain}{factor, select,"
    " 1 {} other {；向量 × {factor} 时，“{word}”给“{other}” {share}}}。",
    "learn_in_pytorch_try_swap": "交换两个词",
    "learn_in_pytorch_try_longer": "向量 × {factor}",
    "learn_in_pytorch_try_copies": "把句子重复 {copies} 次再计时",
    "learn_in_pytorch_question": "在权重张量中，什么的总和是 1？",
    "learn_in_pytorch_choice_rows": "每一行",
    "learn_in_pytorch_choice_columns": "每一列",
    "learn_in_pytorch_choice_both": "每一行和每一列",
    "learn_in_pytorch_answer": "对你的句子，各行之和为 {rows}，各列之和为 {columns}：每个词自己的权重之和为 1，但有些词"
    "总共得到的关注比别的词多。",
}
