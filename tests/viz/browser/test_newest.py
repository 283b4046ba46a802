"""`newest` of ask.js: only the newest of several questions counts, and one without an answer is asked again."""

from typing import Any

from tests.modules import evaluate


def run(script: str) -> Any:
    """Returns the result of a script, which has the questions' answers in `came` and their errors in `failed`."""
    function = f"""async ({{ newest, unanswered, PAUSE }}) => {{
      const [came, failed] = [[], []];
      const questions = newest({{ take: (answer) => came.push(answer), fail: (error) => failed.push(error.status) }});
      {script}
    }}"""
    return evaluate("browser/lib/ask.js", function, None)


def test_an_answer_that_another_question_overtook_is_dropped_and_its_request_ended():
    script = """
      const ended = [];
      let answer;
      questions.ask("first", (signal) => {
        signal.onabort = () => ended.push("first");
        return new Promise((done) => (answer = done));
      });
      questions.ask("second", async () => "second");
      await questions.settled();
      answer("first");
      await new Promise((done) => setTimeout(done));
      return [came, ended, questions.ask("second", async () => "once more")];"""
    assert run(script) == [["second"], ["first"], False]


def test_a_question_without_an_answer_is_asked_until_it_has_one():
    script = """
      PAUSE.first = PAUSE.most = 1;
      let times = 0;
      questions.ask("it", async () => {
        if (times++ < 3) throw unanswered("offline");
        return times;
      });
      while (!came.length) await questions.settled();
      return [came, failed];"""
    assert run(script) == [[4], [0, 0, 0]]


def test_a_question_that_is_refused_is_not_asked_again():
    script = """
      PAUSE.first = PAUSE.most = 1;
      const refuse = async () => { throw unanswered("empty_text", {}, 422); };
      questions.ask("it", refuse);
      await questions.settled();
      await new Promise((done) => setTimeout(done, 50));
      return [came, failed, questions.ask("it", refuse)];"""
    assert run(script) == [[], [422], False]


def test_a_question_that_waits_for_its_next_try_is_tried_at_once_where_it_is_asked_again():
    script = """
      PAUSE.first = PAUSE.most = 1e6;
      questions.ask("it", async () => { throw unanswered("offline"); });
      await questions.settled();
      questions.ask("it", async () => "answer");
      await questions.settled();
      return [came, failed];"""
    assert run(script) == [["answer"], [0]]
