"""Chinese messages of tab Explore about its folds, and about one head: an edit of one weight, the logits that it adds,
and a traced number."""

from __future__ import annotations

MESSAGES = {
    "panels_absent": "不适用于这个模型：{names}。",
    "fold_follow": "从 q、k、v 算起",
    "fold_follow_about": "一个权重和一个输出是怎样算出来的，一直追溯到参数文件里的一个数",
    "fold_reads": "注意力头之间",
    "fold_reads_about": "哪些头读取了前面的头写入的内容，用弧线表示",
    "fold_inside": "模型内部的预测",
    "fold_inside_about": "每层之后模型会预测什么，这个头又提高和降低了哪些词元的 logit",
    "fold_corpus": "语料库",
    "fold_corpus_about": "所有头在许多文段上的测量结果，而不只是一段文本",
    "fold_forming": "注意力头的形成",
    "fold_forming_about": "同一段文本在若干训练步的结果",
    "edit_weight_of": "权重 {query} → {key}",
    "edit_weight_share": "该行其余权重按比例分配剩下的部分",
    "edit_weight_undo": "恢复计算值",
    "edit_weight_undo_hint": "撤销对这个权重的修改",
    "edited_weight": "{name}：{query} → {key} 设为 {weight}{row, select, kept {，该行其余权重不变} other {}}",
    "writes": "这个头写入了什么",
    "writes_hint": "如何解读",
    "writes_means": "模型给每个可能的下一个词元一个数，即它的 logit；softmax 把各个 logit 变成概率。这里显示这个头在所"
    "选位置给每个 logit 加上了多少：它的输出经过最后的归一化（按此处实际的缩放）和输出层。所有词元的平均值已减去，因为"
    "给每个 logit 加上同一个数，不会改变任何概率。注意力头、前馈层和嵌入各贡献一部分，全部相加就是 logit。后面的层根据"
    "这个头的输出算出的结果不算在它的贡献里，但如果关闭这个头，也会一起消失。",
    "writes_not": "只适用于预测下一个词元、并且在每个子层之前做归一化的模型。如果在子层之后归一化，各个头写入的内容会"
    "被重新缩放，各部分相加就不等于 logit 了。",
    "writes_encoder": "编码器的注意力头不写入 logit，而是写入解码器要读的内容。请选择解码器或交叉注意力。",
    "writes_choose_head": "平均和注意力展开不是头，不写入任何内容：请选择一个头。",
    "writes_heading": "{name}，{token}处",
    "writes_looks": "关注",
    "writes_raises": "提高",
    "writes_lowers": "降低",
    "writes_nothing": "这个头已关闭，什么也不写入：不提高也不降低任何词元。",
    "writes_likeliest": "首选预测",
    "writes_parts": "每一部分给 logit 加上多少",
    "writes_sum_of": "{token}的 logit 的各个部分",
    "writes_sum_of_pair": "{token}与{rival}的 logit 之差的各个部分",
    "writes_choose": "显示{token}的 logit 的各个部分；按住 Shift 则与{token}比较",
    "writes_layer": "{layer}",
    "writes_head": "{head}",
    "writes_self": "自注意力 {head}",
    "writes_cross": "交叉注意力 {head}",
    "writes_feed_forward": "前馈层",
    "writes_cell": "第 {layer} 层，{column}：{value}",
    "writes_input": "嵌入 {value}",
    "writes_heads": "注意力头 {value}",
    "writes_cross_heads": "交叉注意力头 {value}",
    "writes_feed_forwards": "前馈层 {value}",
    "writes_constant": "偏置 {value}",
    "writes_common": "所有词元共有的部分 {value}",
    "writes_total": "{terms}，合计 {sum}；模型的 {of, select, pair {logit 之差是} other {logit 是}} {logit}。",
    "writes_follows": "文本中的下一个词元是{token}。",
    "writes_opened": "没有选择词元：这里显示该头给下一个词元的 logit 增加最多的位置。",
    "writes_rare": "也列出训练文本中几乎不出现的 {count, number} 个词元",
    "writes_strongest": "所有头中最大的：{name}，位于{token}：{value}",
    "writes_without": "这个头本身给这个 {of, select, pair {logit 之差加上} other {logit 加上}} {direct}。"
    "关闭这个头后，它由 {before} 变为 {logit}{of, select, pair {} other {，概率{same, select, yes {仍为}"
    " other {由 {prob} 变为}} {after}}}："
    "后面各层在它的基础上产生的作用也一并消失了。",
    "trace": "追踪一个数",
    "trace_hint": "这是什么",
    "trace_means": "把一个权重一步步追溯回去：先到它的得分，再到 q 和 k，到算出它们的那些数，直到保存参数的文件。然后"
    "再向前：这个头给它的输入加上了什么。在图中锁定一对词元，可以追踪另一个权重。",
    "trace_choose_head": "平均和注意力展开不是由 q 和 k 算出的：请选择一个头。",
    "trace_masked": "掩码屏蔽了这一对：没有可以追踪的权重。",
    "trace_not": "如果得分中还有相对位置或记忆的项，就无法追踪。",
    "trace_weight": "{query} → {key}的权重 = e^(得分 − 最大得分) / {keys, plural, other {# 个键}}的这个值之和 = e^"
    "({score} − {most}) / {total} = {weight}",
    "trace_weight_set": "按得分计算，这个权重应为 {weight}；你把它设成了 {changed}",
    "trace_score": "得分 = q·k / √s = {product} / {root} = {score}",
    "trace_score_by_layer": "得分 = q·k / (√s · {divisor}) = {product} / {root} = {score}：这个模型还把每一层的得分除"
    "以层的序号（从 1 数起）",
    "trace_score_unscaled": "得分 = q·k = {score}",
    "trace_pick": "点击 q、k 或 v 中的一个数，开始追踪。",
    "trace_row_q": "{token}的 q",
    "trace_row_k": "{token}的 k",
    "trace_row_v": "{token}的 v",
    "trace_row_out": "{token}的 out",
    "trace_row_adds": "在{token}处加上",
    "trace_turned": "{token}的 {part}[{at}] = {value}：旋转位置编码把点 ({part}[{at}], {part}[{pair}]) 旋转一个随位置"
    "增大的角度。在位置 {position}，角度为 {angle}：{own} × cos({angle}) {sign, select, minus {−} other {+}} {other} ×"
    " sin({angle})",
    "trace_normed": "{token}的 {part}[{at}]{before, select, turn {（旋转之前）} other {}} = {value}：{part} / 均方根 ×"
    " γ = {whole} / {deviation} × {gain}，均方根取自 {part} 的各个数",
    "trace_number": "{token}的{part, select, adds {所加的向量} other { {part}}}[{at}]{before, select, turn {（旋转之前"
    "）} norm {（归一化之前）} other {}} = {value}：{count} 个乘积之和，每个乘积是一个参数乘以 {of} 的一个数{biased, "
    "select, yes {，再加上偏置 {bias}} other {}}",
    "trace_unjoined": "这个模型在注意力头之后没有映射：各头的输出并排拼接，每个数原样通过。所以它自己的权重为 1，其他"
    "权重都为 0。",
    "trace_file": "{file} 中的 {tensor}",
    "trace_place": "{file} 中的 {tensor}[{row}, {column}]",
    "trace_rounded": "，存为 8 位整数，再乘以该行的比例",
    "trace_place_only": "{tensor}[{row}, {column}]",
    "trace_x": "这些乘积中最大的一个用到{token}的 x[{column}]，它是 r[{column}] 归一化的结果：{centred, select, yes "
    "{(r − 均值) / σ × γ + β = ({whole} − {mean}) / {deviation} × {gain} + {bias} = {value}} other {r / 均方根 × γ = "
    "{whole} / {deviation} × {gain} = {value}，均方根取自 r 的各个数}}",
    "trace_x_same": "这些乘积中最大的一个用到{token}的 x[{column}] = {value}：这个模型在每个子层之后做归一化，所以 x "
    "就是前一层的输出",
    "trace_stream": "r[{column}] = {whole}：这是残差流（residual stream），等于以下各项之和：{terms}",
    "trace_embedding": "{value} 来自{token}的嵌入",
    "trace_position": "{value} 来自它的位置",
    "trace_segment": "{value} 来自它所在的句段",
    "trace_embedded": "{value} 来自各嵌入",
    "trace_embeddings": "嵌入的 [{column}] = {value}：几项之和再归一化，(和 − 均值) / σ × γ + β = ({whole} − {mean}) /"
    " {deviation} × {gain} + {bias}；其中的和是 {whole}：{terms}",
    "trace_block": "{value} 来自第 {layer} 层",
    "trace_attention": "{value} 来自前面的自注意力",
    "trace_out": "向前：{query}的 out 是所有键的 v 各乘以权重后的总和；{key}贡献 {weight} × 它的 v。{joins, select, "
    "yes {合并各头的映射把 out 变成这个头加到残差流上的向量：} other {这个模型没有合并各头的映射，所以 out 本身就是这"
    "个头加到残差流上的向量：}}",
    "trace_largest": "其中绝对值最大的数：",
    "trace_added": "{token}的残差流在 {at} 处原为 {before}，加上这个头的贡献后为 {after}。{joins, select, yes {其他头"
    "和偏置也会加上去。} other {其他头填入向量中其余的数。}}",
}
