import { Ajv } from "ajv";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { http } from "@troupe/http";
import { validate } from "@readme/openapi-parser";
import { describe, expect, it } from "vitest";
import { desk, talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { chatStream } from "./chat-stream.ts";

type Operation = { operationId: string; security: object[]; responses: object };
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, object> } };

/** Returns the document that HTTP serves with chats beside it. */
async function describeWith(options: ServiceOptions): Promise<Document> {
  const service = await serve(options, { protocols: [http({ swagger: {} }), chatStream()] });
  return (await service.ask("/docs/spec.json")).json as Document;
}

/** Returns what is wrong with a request by its schema in a document. */
function problemsOf({ components }: Document, request: object): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: "spec", components });
  const check = ajv.compile({ $ref: "spec#/components/schemas/ChatRequest" });
  return check(request) ? [] : [ajv.errorsText(check.errors)];
}

const said = { role: "user", parts: [{ type: "text", text: "Hi." }] };
const answer = { id: "m1", role: "assistant", parts: [{ type: "step-start" }, { type: "text", text: "Hello." }] };
const picture = { type: "file", mediaType: "image/png", url: "data:image/png;base64,QUJD", filename: "a.png" };
const user = (...parts: unknown[]) => ({ message: { role: "user", parts } });
const regenerate = { trigger: "regenerate-message" };

const right: Record<string, object> = {
  "a text": { message: said },
  "a file alone": user(picture),
  "a file by an address in capitals": user({ ...picture, url: "HTTPS://example.com/a.png" }),
  "a blank text beside a file": user({ type: "text", text: " " }, picture),
  "data of the page beside a text": user({ type: "data-place", data: {} }, { type: "step-start" }, ...said.parts),
  "100 parts": user(...Array.from({ length: 100 }, () => said.parts[0])),
  "all messages": { messages: [said, answer, said] },
  "an answer that is to be made anew": { messages: [said, answer], ...regenerate },
  "an answer without parts": { messages: [said, { role: "assistant", parts: [] }, said] },
};

const wrong: Record<string, object> = {
  "no part": user(),
  "a blank text": user({ type: "text", text: " \n" }),
  "data of the page alone": user({ type: "data-place", data: {} }),
  "an earlier message without content": { messages: [{ role: "user", parts: [] }, answer, said] },
  "a text that is a number": user({ type: "text", text: 1 }),
  "an answer whose text is a number": { messages: [{ role: "assistant", parts: [{ type: "text", text: 1 }] }, said] },
  "an answer's text without text": { messages: [{ role: "assistant", parts: [{ type: "text" }] }, said] },
  "an id that is a number": { message: { ...said, id: 1 } },
  "a part that the user cannot send": user(...said.parts, { type: "tool-weather" }),
  "a file without a type": user({ type: "file", url: picture.url }),
  "a file of the page alone": user({ ...picture, url: "blob:x" }),
  "a file whose name is a number": user({ ...picture, filename: 1 }),
  "101 parts": user(...Array.from({ length: 101 }, () => said.parts[0])),
  "a system message": { messages: [{ ...said, role: "system" }, said] },
  "an answer alone that is to be made anew": { message: answer, ...regenerate },
  "answers alone that are to be made anew": { messages: [answer, answer], ...regenerate },
  "no message": { messages: [] },
  "two forms": { messages: [said], message: said },
  "a message that is null": { message: null },
};

const cases = [
  ...Object.entries(right).map(([name, fields]) => [name, fields, true] as const),
  ...Object.entries(wrong).map(([name, fields]) => [name, fields, false] as const),
];

it.each(cases)(
  "the service takes a chat with %s exactly if its schema does [http.ui-stream]",
  async (_, fields, isRight) => {
    const options = { agents: { a: talker() } };
    const service = await serve(options);
    const chat = { id: "c1", ...fields };

    const problems = problemsOf(await describeWith(options), chat);
    const { status } = await service.post("/agents/a/ui", chat);

    expect({ isDescribed: problems.length === 0, status }, problems.join("\n")).toEqual({
      isDescribed: isRight,
      status: isRight ? 200 : 400,
    });
  },
);

describe("the document of a service with chats", () => {
  it("is valid, and describes the chats of every agent and team", async () => {
    const names = { "a b ü": talker(), "a-b": talker(), a_b: talker() };
    const document = await describeWith({ agents: names, teams: { t: desk() } });

    expect(await validate(structuredClone(document) as unknown as Parameters<typeof validate>[0])).toMatchObject({
      valid: true,
    });
    const chats = Object.entries(document.paths).filter(([path]) => /\/ui(?:\/|$)/.test(path));
    expect(chats.map(([path, item]) => [path, ...Object.keys(item)])).toEqual(
      ["/agents/a%20b%20%C3%BC", "/agents/a-b", "/agents/a_b", "/teams/t"].flatMap((path) => [
        [`${path}/ui`, "post"],
        [`${path}/ui/{chatId}/stream`, "get"],
        [`${path}/ui/{chatId}/stop`, "post"],
      ]),
    );
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => each.operationId));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(["chat_agent_a_b__", "chat_agent_a_b", "chat_agent_a_b_2", "resume_team_chat_t"]),
    );
  });

  it("names the key headers that the service reads, as a run of the same agent does", async () => {
    for (const genericApiKeyHeader of [true, false]) {
      const { paths } = await describeWith({ agents: { a: talker() }, genericApiKeyHeader });
      expect(paths["/agents/a/ui"]?.["post"]?.security).toEqual(paths["/agents/a/run"]?.["post"]?.security);
    }
  });

  it("refers to what the document has", async () => {
    const document = await describeWith({ agents: { a: talker() }, teams: { t: desk() } });
    const json = JSON.stringify(document);
    const refs = [...json.matchAll(/"#\/components\/([^"]+)"/g)].map(([, place = ""]) => place.split("/"));

    expect(refs.length).toBeGreaterThan(0);
    for (const [kind = "", name = ""] of refs) {
      expect((document.components as Record<string, object>)[kind], `${kind}/${name}`).toHaveProperty([name]);
    }
  });
});

// What the readers of the description see. If a change is meant, write the outline anew by `vitest --update`.
it("the chat transport describes its operations and schemas in these words", async () => {
  const service = createService({ agents: { "é a": talker() }, teams: { t: desk() } });
  const { paths, schemas } = chatStream().describe?.(service) ?? {};

  await expect(`${JSON.stringify({ paths, schemas }, null, 1)}\n`).toMatchFileSnapshot(
    "../test/outlines/described.txt",
  );
});
