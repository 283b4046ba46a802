"""Chinese messages of Learn's section "Train one now"."""

from __future__ import annotations

MESSAGES = {
    "learn_train_now_title": "现在就训练一个",
    "learn_train_now_text": "选一个任务，点“训练”，看一个有两个块的 Transformer 从随机权重开始学会它。\n\n训练在服务器"
    "上进行，大约半分钟。它读入问题，在 = 之后写出答案，一次一个字符。没有人编写解法：正确的下一个字符概率越高，损失（"
    "loss）越小，各个头由此学会该关注哪里。\n\n要把词倒过来写，必须有头沿着另一条对角线去关注；要排序，各个头就得搜索"
    "字母。全部问题的十分之一不用于训练，准确率只在这些问题上测量。训练之后，你可以问它一个自己的问题。",
    "learn_train_now_task": "任务",
    "learn_train_now_task_copy": "复制",
    "learn_train_now_task_reverse": "反转",
    "learn_train_now_task_sort": "排序",
    "learn_train_now_task_add": "加法",
    "learn_train_now_task_copy_hint": "dolphins=dolphins",
    "learn_train_now_task_reverse_hint": "pots=stop",
    "learn_train_now_task_sort_hint": "dolphins=dhilnops",
    "learn_train_now_task_add_hint": "347+85=432",
    "learn_train_now_seed": "随机种子",
    "learn_train_now_train": "{state, select, off {训练} waiting {退出队列} other {停止}}",
    "learn_train_now_train_hint": "为这个任务训练一个新模型；关闭页面即停止",
    "learn_train_now_progress": "训练步数",
    "learn_train_now_state_off": "现在没有人在训练。",
    "learn_train_now_state_starting": "你的训练即将开始……",
    "learn_train_now_state_running": "你的训练：第 {step, number} 步，共 {steps, number} 步，{seconds} 秒。",
    "learn_train_now_state_waiting": "你前面还有 {ahead, plural, other {# 个训练}}。现在显示的是正在进行的训练："
    "{task}，第 {step, number} 步，共 {steps, number} 步。",
    "learn_train_now_state_watching": "你看到的是另一位访客的训练：{task}，第 {step, number} 步，共 {steps, number}"
    " 步。",
    "learn_train_now_waiting": "{waiting, plural, other {另有 # 个训练在排队。}}",
    "learn_train_now_state_done": "训练完成：{steps, number} 步。问它点什么吧。",
    "learn_train_now_state_watched": "你观看的训练已经结束：{task}。",
    "learn_train_now_state_stopped": "已停止。",
    "learn_train_now_state_late": "服务器太忙，训练用时过长，已被停止。请再试一次。",
    "learn_train_now_state_failed": "训练失败。请再试一次。",
    "learn_train_now_try_it": "试用这个模型",
    "learn_train_now_loss": "训练过程中的损失，单位为奈特每字符（1 奈特 = 1.44 比特）",
    "learn_train_now_axis_step": "训练步",
    "learn_train_now_axis_loss": "奈特",
    "learn_train_now_line_loss": "损失",
    "learn_train_now_right": "{tested, number} 个未见过的问题，{share} 完全答对",
    "learn_train_now_right_none": "尚未训练",
    "learn_train_now_heads": "所有的头",
    "learn_train_now_map": "这个头关注什么：行是查询，列是键",
    "learn_train_now_point": "把指针移到单元格上查看数值；点击小图，显示对应的头。",
    "learn_train_now_cell": "位置 {from} 上的“{query}”把 {share} 的权重给了位置 {to} 上的“{key}”。",
    "learn_train_now_field": "{task, select, add {两个不超过 {digits} 位的数，中间用 + 连接} other {最多 {most} 个字"
    "母，a 到 {last}}}",
    "learn_train_now_answer": "{question} = {answer}",
    "learn_train_now_judged": "{right, select, yes {正确。} other {错误：应为 {truth}。}}",
    "learn_train_now_nothing": "（空）",
    "learn_train_now_by": "{by, select, trained {由这里训练的模型回答。} training {由训练到第 {step, number} 步的模型回"
    "答。} other {由尚未训练的模型回答。}}",
    "learn_train_now_backwards": "它从末位往前写答案，这样每个进位在用到时都已知道。",
    "learn_train_now_bad_word": "请输入 1 到 {most} 个字母，a 到 {last}，不用大写，不加空格。",
    "learn_train_now_bad_sum": "请输入两个不超过 {digits} 位的整数，中间用 + 连接，例如 347+85。",
    "learn_train_now_full": "队列已满。你可以先看正在进行的训练，稍后再试。",
    "learn_train_now_lesson": "{by, select, other {训练之前，每个字符的可能性相同，各个头关注的对象是随机的。} training"
    " {在第 {step, number} 步，损失为 {loss} 奈特每字符，未见过的问题有 {share} 完全答对。} trained {经过 {step,"
    " number} 步，未见过的问题有 {share} 完全答对。} kept {这个模型是之前在这里训练的。问它“{question}”，它回答"
    "“{answer}”。}}",
    "learn_train_now_try_reverse": "学习反转",
    "learn_train_now_try_sort": "学习排序",
    "learn_train_now_try_add": "学习加法",
    "learn_train_now_question": "在第一步训练之前，模型给正确的下一个字符多大的概率？",
    "learn_train_now_choice_none": "零：它什么也没学过",
    "learn_train_now_choice_alike": "与其他字符一样",
    "learn_train_now_choice_half": "大约一半",
    "learn_train_now_answer_said": "在 {tokens} 个词元中，正确的一个得到 {share}，而 1/{tokens} 是 {alike}：输出层的初"
    "始权重为零，所以所有词元的可能性相同，损失从 ln {tokens} = {loss} 开始。",
}
