import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { scripted } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";

type Message = OpenAI.ChatCompletionMessageParam;
type Round = { id: string; text: string; calls: { id: string; args: string }[]; tokens: number };

const tool = {
  type: "function",
  function: { name: "locate", parameters: { type: "object", properties: { round: { type: "number" } } } },
} as const;
const usageOf = (round: number) => ({ promptTokens: 10 * round, completionTokens: 1, totalTokens: 10 * round + 1 });
const call = (round: number) => ({
  text: `Round ${round}.`,
  toolCalls: [{ id: "c", name: "locate", arguments: { round } }],
  usage: usageOf(round),
});

/** Asks for one completion, whole or streamed, and returns its content. */
async function complete(client: OpenAI, messages: Message[], isStreamed: boolean): Promise<Round> {
  const body = { model: "helper", messages, tools: [tool], stream_options: { include_usage: true } };
  const { stream_options: _, ...whole } = body;
  const completion = isStreamed
    ? await client.chat.completions.stream(body).finalChatCompletion()
    : await client.chat.completions.create(whole);
  const message = completion.choices[0]?.message;
  const calls = (message?.tool_calls ?? []).flatMap((each) =>
    each.type === "function" ? [{ id: each.id, args: each.function.arguments }] : [],
  );
  return { id: completion.id, text: message?.content ?? "", calls, tokens: completion.usage?.total_tokens ?? 0 };
}

/** Adds a round to the conversation of a client: the assistant's message with its calls, and their results. */
function withResults(messages: Message[], { text, calls }: Round): Message[] {
  const toolCalls = calls.map(({ id, args }) => ({
    id,
    type: "function" as const,
    function: { name: "locate", arguments: args },
  }));
  return [
    ...messages,
    { role: "assistant", content: text, tool_calls: toolCalls },
    ...calls.map(({ id, args }) => ({ role: "tool" as const, tool_call_id: id, content: `Place of ${args}` })),
  ];
}

describe.each([
  ["whole", false],
  ["streamed", true],
])("a run that calls tools of its client in three rounds, in %s completions", (_form, isStreamed) => {
  it("has a completion for each round, with an id, a text, a call and tokens of its own", async () => {
    const { agent } = scripted([call(1), call(2), call(3), { text: "Done.", usage: usageOf(4) }]);
    const { client } = await serve({ agents: { helper: agent } });
    const conversations: Message[][] = [[{ role: "user", content: "Where?" }]];
    const rounds: Round[] = [];
    for (let at = 0; at < 4; at++) {
      const messages = conversations[at] ?? [];
      const round = await complete(client, messages, isStreamed);
      rounds.push(round);
      conversations.push(withResults(messages, round));
    }

    const [runId = ""] = /[\da-f]+(?:-[\da-f]+){4}/.exec(rounds[0]?.id ?? "") ?? [];
    expect(rounds.map(({ id }) => id)).toEqual(["", "-1", "-2", "-3"].map((end) => `chatcmpl-${runId}${end}`));
    expect(rounds.map(({ text }) => text)).toEqual(["Round 1.", "Round 2.", "Round 3.", "Done."]);
    expect(rounds.map(({ calls }) => calls.map(({ args }) => args))).toEqual([
      ['{"round":1}'],
      ['{"round":2}'],
      ['{"round":3}'],
      [],
    ]);
    expect(rounds.map(({ tokens }) => tokens)).toEqual([11, 21, 31, 41]);
    expect(new Set(rounds.flatMap(({ calls }) => calls.map(({ id }) => id))).size).toBe(3);
  });

  it("gives a repeated request of each round the call that it had, while the next one is open", async () => {
    const { agent, model } = scripted([call(1), call(2), call(3)]);
    const { client } = await serve({ agents: { helper: agent } });
    let messages: Message[] = [{ role: "user", content: "Where?" }];
    const repeated: [Round, Round][] = [];
    for (let at = 0; at < 3; at++) {
      const round = await complete(client, messages, isStreamed);
      // A question that is asked again begins another run.
      if (at > 0) repeated.push([round, await complete(client, messages, isStreamed)]);
      messages = withResults(messages, round);
    }

    expect(repeated).toHaveLength(2);
    for (const [first, again] of repeated) expect(again).toEqual(first);
    expect(model.calls).toHaveLength(3);
  });
});
