"""Chinese messages of Learn's section "Scaling"."""

from __future__ import annotations

MESSAGES = {
    "learn_scaling_title": "缩放",
    "learn_scaling_text": "得分要除以 √k：这样无论向量有多少维，softmax 都保持足够平缓，可以学习。\n\n两个 k 维向量的"
    "点积是 k 个乘积之和。对随机数（均值 0，标准差 1），点积的标准差是 √k。得分过于分散时，softmax 会把几乎全部权重给"
    "一个键，而它的梯度（gradient，训练所依据的斜率）几乎消失：模型学不会去关注别处。除以 √k 之后，无论 k 是多少，标准"
    "差都回到 1。\n\n文章的论证用的是由 k 个相等的数 c 组成的向量，它的长度是 √k · c。这说明了长度如何增长；但开根号的"
    "真正原因是得分的分散程度。如果八个头共用一个 256 维的向量，k 就是一个头的维数：32。",
    "learn_scaling_measure": "度量",
    "learn_scaling_mean": "均值",
    "learn_scaling_spread": "标准差",
    "learn_scaling_spread_hint": "点积的标准差：它们有多分散",
    "learn_scaling_entropy": "熵（比特）",
    "learn_scaling_entropy_hint": "对 16 个键取 softmax 后的熵：权重全部相等时为 4 比特，一个键独占时为 0",
    "learn_scaling_gradient": "梯度",
    "learn_scaling_gradient_hint": "softmax 梯度的大小：其导数矩阵的范数",
    "learn_scaling_seed": "随机种子",
    "learn_scaling_size": "k，向量的维数",
    "learn_scaling_size_is": "k = {k}，√k = {root}",
    "learn_scaling_plain": "q·k",
    "learn_scaling_scaled": "q·k / √k",
    "learn_scaling_row_plain": "q·k 的 16 个权重",
    "learn_scaling_row_scaled": "q·k / √k 的 16 个权重",
    "learn_scaling_chart": "k 从 2 到 1,024 时的测量值：除以 √k 与不除。点击可选择 k。",
    "learn_scaling_show": "向量",
    "learn_scaling_show_random": "随机",
    "learn_scaling_show_trained": "训练后",
    "learn_scaling_show_random_hint": "随机向量，k 从 2 到 1,024",
    "learn_scaling_show_trained_hint": "两个训练方式相同的模型，其中一个不除以 √s",
    "learn_scaling_field": "文本，最多 {most} 个字节",
    "learn_scaling_chart_trained": "每个头的注意力有多分散：各行的平均熵（比特），除以 √s 与不除",
    "learn_scaling_head": "第 {layer} 层第 {head} 头",
    "learn_scaling_with_scaled": "除以 √s",
    "learn_scaling_with_plain": "不除",
    "learn_scaling_model": "{name}，{with}",
    "learn_scaling_mean_entropy": "各行的熵",
    "learn_scaling_surprise": "这段文本的每字节比特数",
    "learn_scaling_bits": "验证集的每字节比特数",
    "learn_scaling_none": "–",
    "learn_scaling_alike": "两个模型用同样的字节、同一个随机种子训练了 500 步；每个头的维数 s = 16，所以 √s 为 4。一行"
    "的权重全部相等时，熵最大。",
    "learn_scaling_lesson_trained": "在这段文本上，除以 √s 时各行的平均熵为 {scaled} 比特，不除时为 {plain} 比特；权重"
    "全部相等时为 {even} 比特。据模型卡，除以 √s 时损失为 {bits} 比特每字节，不除时为 {other}。",
    "learn_scaling_lesson_spread": "k = {k} 时，点积的标准差为 {plain}（√k 为 {root}）；除以 √k 后为 {scaled}。",
    "learn_scaling_lesson_entropy": "k = {k} 时，每行权重的平均熵是 {plain} 比特；除以 √k（即 {root}）之后是 {scaled}"
    " 比特（全部相等时为 4）。",
    "learn_scaling_lesson_gradient": "k = {k} 时，softmax 梯度的大小是 {plain}；除以 √k（即 {root}）之后是 {scaled}。",
    "learn_scaling_try": "k = {k}",
    "learn_scaling_try_trained": "两个训练好的模型",
    "learn_scaling_try_gradient": "k = 1,024 时的梯度",
    "learn_scaling_question": "k 增大到四倍，从 16 变为 64。点积的标准差变为几倍？",
    "learn_scaling_choice_four": "四倍",
    "learn_scaling_choice_two": "两倍",
    "learn_scaling_choice_same": "不变",
    "learn_scaling_answer": "这里测得：k = 16 时为 {before}，k = 64 时为 {after}，是前者的 {ratio} 倍。",
}
