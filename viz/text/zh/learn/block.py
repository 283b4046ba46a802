"""Chinese messages of Learn's section "The block"."""

from __future__ import annotations

MESSAGES = {
    "learn_block_title": "Transformer 块",
    "learn_block_text": "一个块（block）对每个词元的向量做两次加法：先加上注意力从其他词元收集来的信息，再加上前馈层"
    "（feed-forward layer）仅由这个词元算出的结果。输入保留下来，只往上加，这就是残差连接（residual connection）；所以"
    "从第一个块到最后一个块，一个词元始终只有一个向量。（在文章自己的块里，每次相加之后还要做层归一化。）\n\n输出层可以"
    "在任意深度读取这个向量，显示模型如果到此为止会预测什么。选一个词元，沿着各层看它的预测怎样变化。词元之间只靠注意力"
    "联系：在所有块中关掉注意力，改变一个词元就只会改变它自己的输出，其他输出分毫不变，连舍入误差都没有。",
    "learn_block_show": "显示",
    "learn_block_show_stack": "一个词元",
    "learn_block_show_linear": "非线性",
    "learn_block_show_gradient": "归一化",
    "learn_block_show_stack_hint": "一个词元穿过整个模型",
    "learn_block_show_linear_hint": "块中哪些部分不是线性的",
    "learn_block_show_gradient_hint": "训练开始时各深度的梯度：后置与前置归一化",
    "learn_block_linear": "块 f 是线性的吗？如果是，f(x + p) 就应等于 f(x) + f(p) − f(0)。这里 x 是你的文本的向量，p 是"
    "各位置的向量，f 是“{model}”的第一个块，其中去掉了某些部分：",
    "learn_block_cases": "保留了哪些部分，f 偏离可加性多少",
    "learn_block_part_softmax": "q·k 的 softmax",
    "learn_block_part_activation": "{activation}",
    "learn_block_part_norm": "层归一化",
    "learn_block_in": "保留",
    "learn_block_out_softmax": "权重固定",
    "learn_block_out_activation": "去掉",
    "learn_block_out_norm": "去掉",
    "learn_block_off": "最大差值（相对于最大的数）",
    "learn_block_linear_how": "条形用对数刻度，从 10⁻⁸ 到 1。“权重固定”是指只由 x + p 算一次权重。这样，块的其余部分就"
    "只有矩阵、求和与偏置。",
    "learn_block_activation_relu": "ReLU",
    "learn_block_activation_gelu": "GELU",
    "learn_block_activation_gelu_tanh": "GELU",
    "learn_block_lesson_linear": "整个块偏离可加性 {whole}；只保留 softmax、{activation}、层归一化三者之一，偏离至少为"
    " {least}；三者都去掉，就只剩舍入误差：{none}。",
    "learn_block_gradient": "训练开始时每个块的梯度",
    "learn_block_gradient_size": "梯度的大小",
    "learn_block_gradient_how": "一个未经训练的生成模型，向量有 {emb} 维，预测你的文本中的每个下一字节。图中显示第一步"
    "训练之前，每个块的全部权重的梯度长度。初始权重的取法与最早的 Transformer 相同（Glorot 方差）。",
    "learn_block_norm_post": "残差之后归一化（后置），如文章所述",
    "learn_block_norm_pre": "每个子层之前归一化（前置）",
    "learn_block_depth": "块数",
    "learn_block_seed": "随机种子",
    "learn_block_short": "请至少输入两个字节：一个用来读，一个用来预测。",
    "learn_block_lesson_gradient": "共 {depth} 个块时，最后一个块的梯度与第一个块之比：后置归一化为 {post}，前置归一化"
    "为 {pre}。",
    "learn_block_field": "文本",
    "learn_block_attention": "注意力",
    "learn_block_attention_on": "开",
    "learn_block_attention_off": "关",
    "learn_block_attention_on_hint": "与训练时一样",
    "learn_block_attention_off_hint": "任何层的任何头都不加入任何东西",
    "learn_block_tokens": "点击一个词元来跟踪它（最多显示 {most} 个）。词元下方：所跟踪的词元改变时，它的输出变化多少",
    "learn_block_token": "{label}：点击跟踪。“{chosen}”改变时，它的输出变化 {moved}",
    "learn_block_stack": "“{label}”穿过“{model}”：各处对下一个词元的预测",
    "learn_block_point": "经过",
    "learn_block_added": "加入量",
    "learn_block_top": "首选预测",
    "learn_block_embedding": "词嵌入",
    "learn_block_part_attention": "第 {layer} 层注意力",
    "learn_block_part_feed_forward": "第 {layer} 层前馈",
    "learn_block_guess": "{label} {share}",
    "learn_block_chart": "注意力和前馈层各加入多少",
    "learn_block_layer": "块",
    "learn_block_length": "加入向量的长度",
    "learn_block_trace_attention": "注意力",
    "learn_block_trace_feed_forward": "前馈层",
    "learn_block_lesson": "在“{label}”之后，模型预测“{last}”（{share}）；{since, select, never {直到最后一个子层，它才"
    "成为首选预测} other {从“{point}”起，它一直是首选预测}}。",
    "learn_block_count": "改变“{label}”：其余 {others, number} 个输出中，{moved, plural, other {有 {moved, number} 个改"
    "变}}。",
    "learn_block_try_off": "关掉注意力",
    "learn_block_try_linear": "哪些不是线性的？",
    "learn_block_try_gradient": "归一化放在前还是后",
    "learn_block_question": "在所有块中关掉注意力，再改变一个字节。哪些输出会改变？",
    "learn_block_choice_own": "只有这个字节自己的输出",
    "learn_block_choice_after": "它自己的和它之后的",
    "learn_block_choice_all": "全部",
    "learn_block_answer": "没有注意力时，“{label}”的输出变化 {own}，其他输出的变化最多为 {others}。",
}
