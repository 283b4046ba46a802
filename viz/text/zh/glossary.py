"""Chinese messages of the glossary: the terms of the field, and what each means."""

from __future__ import annotations

MESSAGES = {
    "glossary": "术语表",
    "term_token": "词元",
    "term_token_means": "词元（token）是模型读取文本的单位：一个词、词的一部分、一个字符或一个字节。每个词元变成一个向"
    "量，即一串数，再由各层来改变。",
    "term_embedding": "嵌入",
    "term_embedding_means": "嵌入（embedding）：进入第一层之前，模型为每个词元查出的向量。它的各个数由训练得到。",
    "term_position": "位置",
    "term_position_means": "位置（position）：词元在文本中的什么地方。注意力本身看不到位置，所以模型给每个位置加上一个"
    "向量，或者使用词元之间的距离。",
    "term_head": "注意力头",
    "term_head_means": "注意力头（head）：一层中并行进行的若干个注意力计算之一。每个头有自己的查询、键和值；各头的输出"
    "在层末合并。",
    "term_query": "查询",
    "term_query_means": "查询（query）：词元用来搜索其他词元的向量，由头从词元的向量算出。在注意力图上，每一行是一个查"
    "询。",
    "term_key": "键",
    "term_key_means": "键（key）：供查询比较的向量，由头从词元的向量算出。在注意力图上，每一列是一个键。",
    "term_value": "值",
    "term_value_means": "值（value）：词元传给关注者的向量，由头从词元的向量算出。头对一个查询的输出，是所有的值各乘以"
    "权重之后的和。",
    "term_weight": "权重",
    "term_weight_means": "注意力权重（weight）：查询对键的关注程度，是 0 到 1 之间的数。一个查询的权重之和为 1。",
    "term_score": "得分",
    "term_score_means": "得分（score）：查询与键的匹配程度，即两者的点积除以 √s，s 是这两个向量的维数。softmax 把得分"
    "变成权重。",
    "term_mask": "掩码",
    "term_mask_means": "掩码（mask）：对查询隐藏某些键。在 softmax 之前把它们的得分变为 −∞，于是它们的权重为 0。因果掩"
    "码隐藏查询之后的所有词元。",
    "term_softmax": "softmax",
    "term_softmax_means": "softmax 把一组数变成份额：以每个数为指数取 e 的幂，再除以所有这些幂之和。份额之和为 1，最大"
    "的数得到最大的份额。",
    "term_mass": "注意力占比",
    "term_mass_means": "注意力占比（share of attention）：一个查询在某些键上的权重之和。在所有键上合计为 100%。",
    "term_entropy": "熵",
    "term_entropy_means": "熵（entropy）：一个查询的注意力有多分散，以比特为单位。0 比特：全部在一个词元上。1 比特：相"
    "当于平均分给 2 个词元。2 比特：分给 4 个。3 比特：分给 8 个。",
    "term_rollout": "注意力展开",
    "term_rollout_means": "注意力展开（rollout）：穿过所有的层，把注意力一直追溯到文本。每一层取各头平均的一半，加上单"
    "位矩阵的一半，因为词元也保留自己的向量；再把各层的矩阵相乘。",
    "term_residual": "残差流",
    "term_residual_means": "残差流（residual stream）：每个词元贯穿所有层的那个向量。注意力层和前馈层把各自的结果加到它"
    "上面；在 BERT 这样的模型中，每次相加之后还要做归一化。",
    "term_norm": "层归一化",
    "term_norm_means": "层归一化（layer norm）：把向量的各个数平移、缩放到均值 0、标准差 1，再各乘以一个学到的数，并加"
    "上另一个。它使很深的模型更容易训练。",
    "term_pass": "一次运行",
    "term_pass_means": "一次运行（pass）：模型对一段文本从头到尾计算一遍，包括途中算出的所有数。",
    "term_feed_forward": "前馈层",
    "term_feed_forward_means": "前馈层（feed-forward layer）：每个块的第二部分，由两个线性映射和其间的一个非线性函数组"
    "成，分别作用于每个词元的向量。",
    "term_logit": "logit",
    "term_logit_means": "logit：模型给每个可能的下一个词元打的分数，也叫“未归一化的对数概率”。softmax 把这些数变成概率"
    "。",
    "term_log_odds": "对数几率",
    "term_log_odds_means": "对数几率（log-odds）：把概率 p 写成 ln(p / (1 − p))：p 为二分之一时是 0，更大时为正，更小时"
    "为负。",
    "term_surprise": "意外度",
    "term_surprise_means": "意外度（surprise）：一个词元有多出乎意料，以比特为单位，即模型给它的概率的 −log₂。0 比特："
    "完全确定。1 比特：如同抛硬币。每多 1 比特，概率减半。",
    "term_loss": "损失",
    "term_loss_means": "损失（loss）：训练要减小的数。对语言模型来说，它是各个正确词元的意外度的平均值。",
    "term_gradient": "梯度",
    "term_gradient_means": "梯度（gradient）：一个数（通常是损失）对模型每个参数的变化率。训练的每一步都让参数沿梯度的"
    "反方向移动。",
    "term_temperature": "温度",
    "term_temperature_means": "温度（temperature）：在 softmax 之前，先把每个 logit 除以温度。低于 1 时，本来可能的词元"
    "更加可能；高于 1 时，不太可能的词元机会变大。",
    "term_top_k": "top-k",
    "term_top_k_means": "只从概率最高的 k 个词元中采样。",
    "term_top_p": "top-p",
    "term_top_p_means": "按概率从高到低选取词元，直到概率之和达到 p；只从选出的词元中采样。",
    "term_byte": "␣ ⏎ ‥ xE2",
    "term_byte_means": "不可见的字符这样显示：␣ 是空格，⏎ 是换行。以 ␣ 开头的词元是一个词的开头。普通英文以外的字符占两"
    "到四个字节：字符显示在第一个字节处，其余字节显示为 ‥。xE2 是用十六进制写的字节，用于字符不完整或无法显示的时候。",
}
