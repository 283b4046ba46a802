"""Chinese messages of Learn's section "Queries, keys, values"."""

from __future__ import annotations

MESSAGES = {
    "learn_queries_keys_values_title": "查询、键、值",
    "learn_queries_keys_values_text": "每个词有三种用途：它提问（查询，query：表中的一行），它被比较（键，key：表中的一"
    "列），它被传递（值，value：在每个 y 中占一份）。\n\n在第一节里，一支箭头身兼三职。现在，三个矩阵 W 把它变成三支："
    "查询、键和值。\n\n拖动矩阵的两个虚线列：它们表示矩阵把箭头 (1, 0) 和 (0, 1) 送到哪里。各个词依次排在一个圆上，每个"
    "词比前一个转过五分之一圈。初始的矩阵不改变任何东西，所以结果与第一节相同，只是得分要除以 √s，这里是 √2。",
    "learn_queries_keys_values_show": "显示",
    "learn_queries_keys_values_show_plane": "平面",
    "learn_queries_keys_values_show_plane_hint": "三个 2 × 2 矩阵，可拖动它们的列",
    "learn_queries_keys_values_show_head": "训练好的头",
    "learn_queries_keys_values_show_head_hint": "一个训练好的注意力头，从输入到输出",
    "learn_queries_keys_values_plane": "{name}：经过这个矩阵之后的词。可以拖动它的两列，也可以用方向键移动。",
    "learn_queries_keys_values_tip": "{name} 的第 {number} 列：{x}, {y}。可用方向键移动。",
    "learn_queries_keys_values_matrix_q": "W_q：查询",
    "learn_queries_keys_values_matrix_k": "W_k：键",
    "learn_queries_keys_values_matrix_v": "W_v：值，以及 y",
    "learn_queries_keys_values_matrix": "[{a} {b}; {c} {d}]",
    "learn_queries_keys_values_scores": "得分 q·k / √2",
    "learn_queries_keys_values_weights": "权重：对每一行取 softmax",
    "learn_queries_keys_values_row": "显示“{word}”的三种用途",
    "learn_queries_keys_values_uses": "作为查询，“{word}”的输出有 {share} 来自“{most}”（看它的行）。作为键，最关注它的"
    "是“{reader}”，权重为 {read}（看它的列）。作为值，它在所有输出中的权重合计为 {all}（列之和）。",
    "learn_queries_keys_values_lesson": "“{word}”最关注“{most}”：{share}。拖动矩阵的虚线列可以改变权重。",
    "learn_queries_keys_values_lesson_head": "在“{model}”中，“{query}”把 {share} 的注意力给了“{key}”。点击 q、k 或 v 中"
    "的一个数，可以追溯到算出它的模型参数。",
    "learn_queries_keys_values_text_field": "文本，最多 {most} 个词元",
    "learn_queries_keys_values_step_layer": "层",
    "learn_queries_keys_values_step_head": "头",
    "learn_queries_keys_values_step_query": "查询词元",
    "learn_queries_keys_values_step_key": "键词元",
    "learn_queries_keys_values_x_of": "“{word}”的 x",
    "learn_queries_keys_values_q_of": "“{word}”的 q",
    "learn_queries_keys_values_k_of": "“{word}”的 k",
    "learn_queries_keys_values_v_of": "“{word}”的 v",
    "learn_queries_keys_values_out_of": "“{word}”的输出",
    "learn_queries_keys_values_score": "得分 = q·k / √s = {product} / {root} = {score}",
    "learn_queries_keys_values_score_masked": "q·k = {product}，但“{key}”在“{query}”之后：掩码使得分变为 −∞",
    "learn_queries_keys_values_weight": "权重 = 对“{query}”可见的所有键取 softmax = {weight}，因此下面的值有 {share} 进"
    "入输出",
    "learn_queries_keys_values_trace": "“{word}”的 {part}[{at}] = {sum}：{count} 个乘积之和，每个乘积是一个参数乘以 x"
    " 中的一个数",
    "learn_queries_keys_values_trace_file": "{file} 中的 {tensor}",
    "learn_queries_keys_values_try_away": "W_k = −1：关注反方向",
    "learn_queries_keys_values_try_nothing": "W_q = 0：什么也不问",
    "learn_queries_keys_values_try_turn": "W_v：旋转四分之一圈",
    "learn_queries_keys_values_puzzle": "调整 W_q 和 W_k，使除第一个词以外的每个词都最关注它的前一个词。",
    "learn_queries_keys_values_question": "只改变 W_v。还有什么会随之改变？",
    "learn_queries_keys_values_choice_weights": "只有权重",
    "learn_queries_keys_values_choice_outputs": "只有输出",
    "learn_queries_keys_values_choice_both": "权重和输出",
    "learn_queries_keys_values_answer": "换用别的值之后，权重的变化为 {weights}，输出的变化最大为 {outputs}：哪个词关注"
    "哪个词，只由查询和键决定。",
}
