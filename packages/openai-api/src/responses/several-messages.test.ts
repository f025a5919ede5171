import { describe, expect, it } from "vitest";
import { teller } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";

const user = (content: string) => ({ role: "user", content }) as const;
const assistant = { role: "assistant", content: "Hm." } as const;

/** Inputs, with what the model is told of them. The last messages of the user in a row are one input of the run. */
const inputs = [
  ["one message", [user("two")], "two"],
  ["two messages", [user("two"), user("three")], "two\n\nthree"],
  ["an answer between its messages", [user("two"), assistant, user("three")], "two; three"],
  ["four messages", [user("two"), user("three"), assistant, user("four"), user("five")], "two; three; four\n\nfive"],
] as const;

describe("a response to an input of several messages", () => {
  it.each(inputs)("has each of them, with store: false behind a stored response: %s", async (_, sent, told) => {
    const { client } = await serve({ agents: { teller: teller() } });
    const first = await client.responses.create({ model: "teller", input: "zero" });
    const second = await client.responses.create({ model: "teller", input: "one", previous_response_id: first.id });
    const asked = { model: "teller", input: [...sent], store: false };

    const behind = await client.responses.create({ ...asked, previous_response_id: second.id });
    const behindFirst = await client.responses.create({ ...asked, previous_response_id: first.id });

    expect(behind.output_text).toBe(`zero; one; ${told}`);
    expect(behindFirst.output_text).toBe(`zero; ${told}`);
  });

  it.each(inputs)("has each of them in a session that it begins, and in none: %s", async (_, sent, told) => {
    const { client } = await serve({ agents: { teller: teller() } });
    const asked = { model: "teller", input: [...sent] };

    for (const fields of [{}, { store: false }, { conversation: "c1" }, { conversation: "c2", store: false }]) {
      expect((await client.responses.create({ ...asked, ...fields })).output_text, JSON.stringify(fields)).toBe(told);
    }
    // The session has the messages of the request that began it.
    const later = await client.responses.create({ model: "teller", input: "six", conversation: "c1" });
    expect(later.output_text).toBe(`${told}; six`);
  });
});
