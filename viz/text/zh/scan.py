"""Chinese messages of tab Explore about heads over a corpus."""

from __future__ import annotations

MESSAGES = {
    "scan": "各注意力头在语料库上的表现",
    "scan_hint": "如何解读",
    "scan_means": "只看一段文本，可能会误解一个注意力头。所以每个头都在许多文段上测量过，模型训练时没有用过这些文段。每"
    "个点是一个头；颜色越深（深色页面上越浅），所在的层越深。点击一个点，打开对应的头。点上的线段从各文段的第 10 百分位"
    "数延伸到第 90 百分位数。",
    "scan_across": "横轴",
    "scan_down": "纵轴",
    "scan_chart": "所有注意力头在两个度量上的分布。方向键在各个头之间移动，Enter 键打开。",
    "scan_layer": "层",
    "scan_source": "{stretches, number} 个文段，每段 {length} 个词元，取自 {corpus} 的{split, select, val {验证集} "
    "test {测试集} other { {split} }}。移除注意力头的影响是在其中 {removals, number} 个文段上测量的，以{asked, select,"
    " hidden {被遮住的词元} other {下一个词元}}多花的比特数计。",
    "scan_of_decided": "最大权重",
    "scan_of_decided_hint": "除第一个词元和特殊词元之外，其他词元得到的最大权重，对各查询取平均。注意力头找不到要找的"
    "内容时，就关注第一个词元和特殊词元。",
    "scan_of_entropy": "熵",
    "scan_of_distance": "距离",
    "scan_of_effect": "移除的影响",
    "scan_of_effect_hint": "去掉这个头之后，每个词元多花多少比特；对 BERT，指每个被遮住的词元。",
    "scan_dot": "{measure}：{mean}，范围 {low}～{high}",
    "scan_spread": "{mean}，范围 {low}～{high}",
    "scan_spread_even": "{mean}，范围 {low}～{high}（{even}）",
    "scan_spread_means": "各文段的平均值，第 10 到第 90 百分位数的范围（括号里是权重均等时的值）。",
    "scan_top": "权重最大的文段",
    "scan_tenth": "{tenth, select, 1 {其余文段：权重最大的十分之一} 10 {权重最小的十分之一} other {按权重十等分中的第"
    " {tenth} 份}}",
    "scan_places": "测量这个头所用的文段",
    "scan_places_means": "框中的词元关注有颜色的词元：颜色越浓，权重越大。几乎没有权重的词元略去不显示（…）。每个文段"
    "显示的是权重最大的那个查询。",
    "scan_weight": "占注意力的 {share}",
    "scan_looks": "从这里关注",
    "scan_plane": "这些位置上的查询和键",
    "scan_plane_chart": "平面上的查询和键。方向键在各位置之间移动。",
    "scan_plane_means": "圆点是查询，菱形是它们最关注的键。减去各自的均值后，画在前两个主成分（principal component）张"
    "成的平面上，这个平面保留了 {share} 的方差。颜色越深（深色页面上越浅），权重越大。如果分成几群，说明这个头在不同位"
    "置上做不同的事。",
    "scan_queries": "查询",
    "scan_keys": "键",
    "scan_component": "主成分 {number}",
    "scan_none": "{name} 的注意力头还没有在语料库上测量过。用这条命令测量，只需几分钟：{command}。然后重新启动应用。",
    "scan_damaged": "这个模型的语料库测量数据已损坏，或者属于另一组参数。用这条命令重新测量：{command}。然后重新启动应"
    "用。",
    "scan_elsewhere": "只有保存在自己文件夹中的模型（由 former.save 写出）才能在语料库上测量。",
    "scan_kind": "只有 BERT 和不带记忆的生成模型在语料库上测量过；这个模型属于另一类。",
}
