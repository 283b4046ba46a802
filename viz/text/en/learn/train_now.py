"""Messages of Learn's section "Train one now"."""

from __future__ import annotations

MESSAGES = {
    "learn_train_now_title": "Train one now",
    "learn_train_now_text": "Choose a task, press Train, and watch a transformer of two blocks learn it from random"
    " weights, on the server, in about half a minute.\n\nIt reads a question and writes the answer after the =, one"
    " character at a time. Nobody programs the solution: the loss rewards the right next character, and the heads learn"
    " where to attend.\n\nTo reverse a word, some head has to attend along the other diagonal; to sort, heads have to"
    " search for letters. A tenth of all questions is kept out of training, and the accuracy is measured only on these."
    " Then ask it a question of your own.",
    "learn_train_now_task": "Task",
    "learn_train_now_task_copy": "copy",
    "learn_train_now_task_reverse": "reverse",
    "learn_train_now_task_sort": "sort",
    "learn_train_now_task_add": "add",
    "learn_train_now_task_copy_hint": "dolphins=dolphins",
    "learn_train_now_task_reverse_hint": "pots=stop",
    "learn_train_now_task_sort_hint": "dolphins=dhilnops",
    "learn_train_now_task_add_hint": "347+85=432",
    "learn_train_now_seed": "Seed",
    "learn_train_now_train": "{state, select, off {Train} waiting {Leave the queue} other {Stop}}",
    "learn_train_now_train_hint": "Trains a new model for this task; it stops when this page closes",
    "learn_train_now_progress": "Training steps",
    "learn_train_now_state_off": "Nobody is training just now.",
    "learn_train_now_state_starting": "Your training is starting …",
    "learn_train_now_state_running": "Your training: step {step, number} of {steps, number}, {seconds} s.",
    "learn_train_now_state_waiting": "{ahead, plural, one {One training is} other {# trainings are}} before yours."
    " Meanwhile you see the one that is running: {task}, step {step, number} of {steps, number}.",
    "learn_train_now_state_watching": "You see another visitor’s training: {task}, step {step, number} of {steps,"
    " number}.",
    "learn_train_now_waiting": "{waiting, plural, one {# other is} other {# others are}} in the queue.",
    "learn_train_now_state_done": "Trained: {steps, number} steps. Ask it something.",
    "learn_train_now_state_watched": "The training that you watched is over: {task}.",
    "learn_train_now_state_stopped": "Stopped.",
    "learn_train_now_state_late": "The server was too busy: the training took too long and was stopped. Please try"
    " again.",
    "learn_train_now_state_failed": "The training failed. Please try again.",
    "learn_train_now_try_it": "Try this model",
    "learn_train_now_loss": "Loss over the steps of training, in nats per character (1 nat = 1.44 bits)",
    "learn_train_now_axis_step": "step",
    "learn_train_now_axis_loss": "nats",
    "learn_train_now_line_loss": "loss",
    "learn_train_now_right": "{share} of {tested, number} unseen questions answered exactly",
    "learn_train_now_right_none": "Not trained yet",
    "learn_train_now_heads": "All heads",
    "learn_train_now_map": "What this head attends to: rows are queries, columns are keys",
    "learn_train_now_point": "Point at a cell to read it; a click on a small map shows that head.",
    "learn_train_now_cell": "“{query}” at position {from} gives {share} of its weight to “{key}” at position {to}.",
    "learn_train_now_field": "{task, select, add {Two numbers of up to {digits} digits, with a + between them}"
    " other {Up to {most} letters, a to {last}}}",
    "learn_train_now_answer": "{question} = {answer}",
    "learn_train_now_judged": "{right, select, yes {Right.} other {Wrong: the answer is {truth}.}}",
    "learn_train_now_nothing": "(nothing)",
    "learn_train_now_by": "{by, select, trained {Answered by the model trained here.} training {Answered by the model"
    " as it is now, at step {step, number}.} other {Answered by the model before its first step.}}",
    "learn_train_now_backwards": "It writes the sum from the last digit to the first, so that each carry is known when"
    " it is needed.",
    "learn_train_now_bad_word": "Please type 1 to {most} letters from a to {last}, without capitals or spaces.",
    "learn_train_now_bad_sum": "Please type two whole numbers of up to {digits} digits with a + between them, such as"
    " 347+85.",
    "learn_train_now_full": "The queue is full. You can watch the training that is running, and try again later.",
    "learn_train_now_lesson": "{by, select, other {Before training every character is equally likely, and what the"
    " heads attend to is random.} training {At step {step, number} the loss is {loss} nats per character, and {share}"
    " of unseen questions are answered exactly.} trained {After {step, number} steps {share} of unseen questions are"
    " answered exactly.} kept {This model was trained here before. Asked “{question}”, it answers “{answer}”.}}",
    "learn_train_now_try_reverse": "Learn to reverse",
    "learn_train_now_try_sort": "Learn to sort",
    "learn_train_now_try_add": "Learn to add",
    "learn_train_now_question": "Before its first step, what probability does the model give the right next character?",
    "learn_train_now_choice_none": "None: it has learned nothing yet",
    "learn_train_now_choice_alike": "The same as any other",
    "learn_train_now_choice_half": "About half",
    "learn_train_now_answer_said": "Of {tokens} tokens the right one gets {share}, and 1/{tokens} is {alike}: the"
    " output layer starts with zeros, so all tokens are equally likely, and the loss starts at ln {tokens} = {loss}.",
}
