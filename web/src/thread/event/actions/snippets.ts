import { type Json, printExact } from "../../../api/exact";
import { listIn, textIn } from "../contents";

/** A place in a thread, and how the service is reached. */
export interface Source {
  /** `http://127.0.0.1:8080` */
  readonly service: string;
  readonly threadId: string;
  readonly at: number;
  /** Whether the service asks for a key: snippets take it from $AGENTLOG_KEY. */
  readonly needsKey: boolean;
}

/** Path of the OpenAI messages at a place. */
export function messagesPath(threadId: string, at: number): string {
  return `/v1/threads/${threadId}/views/openai?bare=true&at=${at}`;
}

export function curlOf({ service, threadId, at, needsKey }: Source): string {
  const key = needsKey ? ` -H "Authorization: Bearer $AGENTLOG_KEY"` : "";
  return `curl -sS${key} '${service}${messagesPath(threadId, at)}'`;
}

/** A Python program that needs no package; `messages` is the list. */
export function pythonOf({ service, threadId, at, needsKey }: Source): string {
  return [
    "import json",
    ...(needsKey ? ["import os"] : []),
    "from urllib.request import Request, urlopen",
    "",
    `request = Request("${service}${messagesPath(threadId, at)}")`,
    ...(needsKey
      ? [`request.add_header("Authorization", "Bearer " + os.environ["AGENTLOG_KEY"])`]
      : []),
    "with urlopen(request) as response:",
    "    messages = json.load(response)",
    "print(json.dumps(messages, indent=2))",
    "",
  ].join("\n");
}

/** What the model was shown, and the answer that was recorded. */
export interface Step {
  readonly history: readonly Json[];
  readonly answer: Json;
}

/**
 * The next answer of the model after a point, with all that came before it; at the end of the
 * thread the last answer. Null where there is none.
 *
 * `count` is how many OpenAI messages the thread had at the point, `all` are those at its end.
 */
export function nextStep(all: readonly Json[], count: number): Step | null {
  const isAnswer = (message: Json): boolean => textIn(message, "role") === "assistant";
  const next = all.findIndex((message, index) => index >= count && isAnswer(message));
  const answerIndex = next === -1 ? all.findLastIndex(isAnswer) : next;
  const answer = all[answerIndex];
  return answer === undefined ? null : { history: all.slice(0, answerIndex), answer };
}

/** A test that an agent, given the history, calls what was called then. */
export function pytestOf({ threadId, at }: Source, { history, answer }: Step): string {
  const calls = listIn(answer, "tool_calls").length > 0;
  return `"""The answer after version ${at} of the thread ${threadId}."""

import json

HISTORY = json.loads(r'''
${inRawString(printExact(history, 2))}
''')
RECORDED = json.loads(r'''
${inRawString(printExact(answer, 2))}
''')


def ask(messages):
    """Ask your agent: take these OpenAI messages, return its next one."""
    raise NotImplementedError("call your agent here")


def called(message):
    """Return the name and arguments of each call: ids differ from run to run."""
    functions = [call["function"] for call in message.get("tool_calls") or []]
    return [(each["name"], arguments(each["arguments"])) for each in functions]


def arguments(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_the_agent_${calls ? "calls_what_it_called" : "answers_without_a_call"}():
    answer = ask(HISTORY)
    assert called(answer) == called(RECORDED)
${calls ? "" : `    assert answer["content"]\n`}`;
}

/** JSON as it may stand in a raw string of three quotes: those are only in its texts. */
function inRawString(json: string): string {
  return json.replaceAll("'''", "\\u0027\\u0027\\u0027");
}
