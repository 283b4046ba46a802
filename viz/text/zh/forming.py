"""Chinese messages of tab Explore about heads during training."""

from __future__ import annotations

MESSAGES = {
    "forming_title": "训练过程",
    "forming_play_hint": "依次播放训练快照；如果系统设为减少动态效果，则每按一次前进一个",
    "forming_step": "训练步",
    "forming_step_is": "第 {step, number} 步",
    "forming_chart": "比特数和各注意力头的复制得分随训练步的变化。点击选择一个训练步。",
    "forming_axis_bits": "比特",
    "forming_axis_score": "复制得分",
    "forming_line_text": "文本：比特每字节",
    "forming_line_copied": "重复字母：比特每字母",
    "forming_head": "{name}在第 {step, number} 步的复制得分为 {score}，训练结束时为 {last}。这个得分用一串重复出现的随"
    "机字母测得：遇到出现过的字母时，注意力头在多大程度上关注上一次跟在它后面的那个字母。",
    "forming_worth": "模型对普通文本需要 {text} 比特每字节，对每个可以复制的字母需要 {copied} 比特。在 26 个字母中盲猜"
    "需要 4.70 比特。",
    "forming_moment": "{name}在第 {before, number} 步到第 {step, number} 步之间开始复制：得分在此期间超过最终值的一半"
    "。",
    "forming_show": "查看这一时刻",
    "forming_measured": "文本：{bytes, number} 字节，训练中从未出现。测量于 {date}，{cpu}，torch {torch}：",
    "forming_revisions": "移动滑块，可以查看模型在其他训练步时的状态：所有视图都会随之改变。只有按字节读取的模型"
    "才会测量各步的曲线。",
    "forming_none": "这个模型的训练快照和注意力头还没有测量过。用这条命令测量，只需几分钟：{command}",
}
