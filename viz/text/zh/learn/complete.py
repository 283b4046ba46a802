"""Chinese messages of Learn's section "Complete self-attention"."""

from __future__ import annotations

MESSAGES = {
    "learn_complete_title": "完整的自注意力",
    "learn_complete_text": "基本的自注意力用 PyTorch 写只要三行。加上训练得到的矩阵和多个头，需要十行，其中三行只是重"
    "新排列数字。\n\n形状为 (b, t, k) 的张量被切成多个头；各个头并入批次，这样一次 torch.bmm 就能算出所有句子、所有头"
    "的得分；最后再恢复原样。\n\n选择一行代码：图中显示执行这一行之后的张量，数据是两个句子（你的句子和它的词倒序排列"
    "），取自一个训练好的分类器的第一层。第二列是我们自己的代码：它让头单独占一个维度，算出的数字相同。",
    "learn_complete_field": "文本，最多 {most} 个词",
    "learn_complete_lines": "文章的代码和我们的代码，以及每个张量的形状",
    "learn_complete_article": "文章",
    "learn_complete_ours": "我们的代码",
    "learn_complete_shape": "张量的形状",
    "learn_complete_step": "行",
    "learn_complete_step_is": "第 {step} 行，共 {count} 行",
    "learn_complete_play_hint": "逐行播放；若系统设为减少动态效果，每按一次走一行",
    "learn_complete_tensor": "这一行之后的张量：",
    "learn_complete_sentence": "第 {number} 句",
    "learn_complete_head": "第 {sentence} 句，第 {head} 头",
    "learn_complete_head_short": "第 {head} 头",
    "learn_complete_folded": "第 {number} 项：第 {sentence} 句，第 {head} 头",
    "learn_complete_read": "{name}[{index}] = {value}，属于“{word}”",
    "learn_complete_point": "把指针移到张量上查看数值。",
    "learn_complete_agrees": "用“{model}”的权重，文章的代码与 former.SelfAttention 的结果相差不超过 {error}，即舍入误"
    "差。",
    "learn_complete_says_x": "{b} 个句子，各有 {t, plural, other {# 个词}}，每个词是 {k} 个数的向量。",
    "learn_complete_says_queries": "一个矩阵算出全部 {h} 个头的查询：{k} 个数，一个头接一个头。键和值的算法相同。",
    "learn_complete_says_split": "每个词的 {k} 个数被切成 {h} 个头，每个头 {s} 个数。没有任何计算，只是形状变了。",
    "learn_complete_says_folded": "每个句子的每个头成为一个单独的序列：{b} × {h} = {batch} 个序列，每个词 {s} 个数。",
    "learn_complete_says_dot": "一次 torch.bmm 算出 {batch} 个点积矩阵，每个 {t} × {t}。",
    "learn_complete_says_scaled": "点积除以 √s = √{s}。原文这一行除以 √k；但每个头的向量只有 s = k / h 个数，"
    "所以这里用 s，如今的代码大多也这样写。",
    "learn_complete_says_weights": "softmax 把每一行变成总和为 1 的权重。",
    "learn_complete_says_out": "每个头按自己的权重对值求平均；然后批次又展开成 {b} 个句子，各有 {h} 个头。",
    "learn_complete_says_joined": "每个词的各个头重新并排放在一起：{h} × {s} = {k} 个数。",
    "learn_complete_says_y": "最后一个矩阵 unifyheads 把各个头混合起来，每个词得到一个 {k} 个数的向量。",
    "learn_complete_try_weights": "权重",
    "learn_complete_try_join": "合并各个头",
    "learn_complete_question": "两个句子，四个头：这一次 torch.bmm 算出多少个得分矩阵？",
    "learn_complete_choice_sentences": "两个，每个句子一个",
    "learn_complete_choice_heads": "四个，每个头一个",
    "learn_complete_choice_both": "八个，每个句子的每个头一个",
    "learn_complete_answer": "得分的形状是 ({shape})：第一维是 {sentences} 个句子乘以 {heads} 个头。",
}
