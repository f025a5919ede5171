import { expect, it } from "vitest";
import { compileSchemas } from "../../test/compile-schemas.ts";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

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
    const options = { agents: { a: talker() }, ui: true };
    const service = await serve(options);
    const chat = { id: "c1", ...fields };

    const problems = compileSchemas(generateOpenAPISpec(options)).problems("ChatRequest", chat);
    const { status } = await service.post("/agents/a/ui", chat);

    expect({ isDescribed: problems.length === 0, status }, problems.join("\n")).toEqual({
      isDescribed: isRight,
      status: isRight ? 200 : 400,
    });
  },
);
