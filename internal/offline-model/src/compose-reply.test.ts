import type { ChatMessage } from "@troupe/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { composeReply } from "./compose-reply.ts";
import { tools } from "./test/request.ts";

const words =
  "weather in Oslo and Bergen , time what is the my name Ada I am count to 7 12 * ( ) + . ? umbrella ## {} search for me said"
    .split(" ")
    .concat("\n\n## ", "\n", "  ");
const text = fc.oneof(
  fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((said) => said.join(" ")),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const message = fc.record({ role: fc.constantFrom("system", "user", "assistant", "tool"), content: text });
const conversation: fc.Arbitrary<ChatMessage[]> = fc.array(message, { maxLength: 5 });
const toolChoice = fc.constantFrom("auto", "none", "required");

it("composeReply answers any conversation with a text, or with calls that have all required arguments", () => {
  fc.assert(
    fc.property(conversation, toolChoice, (messages, choice) => {
      const { text: said, calls } = composeReply(messages, { tools, toolChoice: choice });

      expect(calls.length > 0).toBe(said === "");
      expect(choice === "none" && calls.length > 0).toBe(false);
      for (const { name, arguments: args } of calls) {
        const required = tools.find((tool) => tool.name === name)?.parameters["required"] ?? [];
        expect(Object.keys(args)).toEqual(expect.arrayContaining(required as string[]));
        expect(Object.values(args).every((value) => typeof value === "string" && value !== "")).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
