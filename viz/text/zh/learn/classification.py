"""Chinese messages of Learn's section "Classification"."""

from __future__ import annotations

MESSAGES = {
    "learn_classification_title": "分类",
    "learn_classification_text": "对所有词的向量求平均，再用一个线性映射，就得到判断结果。\n\n一篇影评只有一个判断结"
    "果，而模型为每个词都给出一个向量。先对所有词的向量求平均，也就是平均池化（average pooling），再用一个线性映射把"
    "平均值变成两个数，每个类别一个。两步都是求和，所以判断结果也可以精确地写成和：每个词贡献一份，称为它的拉力；所有"
    "拉力加上偏置，就是那两个数之差。\n\n每个向量描述的是处在上下文中的词：注意力已经把其他词混了进来。如果把一个词排"
    "除在平均之外，其他词从它那里得到的信息仍然保留。最大池化（maximum pooling）只取每个分量的最大值，所以少数几个词"
    "就能起决定作用；这个模型并没有为此训练过。",
    "learn_classification_text_field": "影评，最多 {most} 个词",
    "learn_classification_empty": "平均时至少要保留一个词。",
    "learn_classification_review": "影评。点击一个词，把它排除在平均之外。",
    "learn_classification_hint": "点击一个词，把它排除在池化之外，或者放回来。",
    "learn_classification_verdicts": "两种池化下的判断结果",
    "learn_classification_average": "平均池化（训练所用）",
    "learn_classification_max": "最大池化",
    "learn_classification_positive": "正面 {share}",
    "learn_classification_word": "“{word}”{kind, select, in {，拉力 {pull}} other {，已排除}}",
    "learn_classification_strongest": "最强的拉力：向左为负面，向右为正面",
    "learn_classification_rest": "{count, plural, other {其余 # 个}}",
    "learn_classification_sum": "拉力之和 {pulls}，偏置 {bias}：合计 {difference}，即两个数之差。对这两个数取 softmax"
    "，得到正面的概率 {share}。",
    "learn_classification_supplied": "{size} 个最大值来自 {words, plural, other {# 个词}}中的 {used} 个，其中 {count}"
    " 个来自“{word}”。",
    "learn_classification_whole": "整个分类器",
    "learn_classification_picture": "整个分类器：{t, plural, other {# 个词}}、{depth} 个块、平均、一个线性层和 "
    "softmax：正面 {share}",
    "learn_classification_embedded": "嵌入 + 位置",
    "learn_classification_blocks": "{depth} 个块",
    "learn_classification_pooled": "{pooling, select, average {平均} other {最大值}}",
    "learn_classification_line": "线性层",
    "learn_classification_size_words": "{t} × {emb} 个数",
    "learn_classification_size_pooled": "{emb} 个数",
    "learn_classification_size_line": "2 个数",
    "learn_classification_size_softmax": "2 个概率",
    "learn_classification_class_negative": "负面",
    "learn_classification_class_positive": "正面",
    "learn_classification_outcome": "{kind, select, positive {正面 {share}} other {负面 {share}}}",
    "learn_classification_quoted": "“{word}”",
    "learn_classification_why": "空心条：每个词只关注自己时的拉力。{same, select, yes {此时仍是“{word}”的拉力最大，为"
    " {alone}。} other {此时“{top}”的拉力最大，为 {most}；“{word}”为 {alone}。}}在模型中，第一个块让“{word}”把 {share}"
    " 的注意力给了{sources}，于是它带上了这些词的意思，拉力为 {pull}。",
    "learn_classification_lesson": "{pooling, select, average {用平均池化} other {用最大池化}}，判断结果为{kind,"
    " select, positive {正面} other {负面}}：{share}。“{word}”的拉力最强，为 {pull}，拉向{side, select, positive {正面}"
    " other {负面}}。",
    "learn_classification_try_mixed": "褒贬参半的影评",
    "learn_classification_try_max": "最大池化",
    "learn_classification_try_without": "去掉拉力最强的词",
    "learn_classification_question": "把拉力最强的词排除在平均之外，判断结果会反转吗？",
    "learn_classification_choice_stays": "不会，结果不变",
    "learn_classification_choice_turns": "会，结果反转",
    "learn_classification_answer": "没有“{word}”，这篇影评为正面的概率是 {after}；有它时是 {before}。",
}
