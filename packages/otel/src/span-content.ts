import type { Attributes } from "@opentelemetry/api";
import { getTextContent } from "@troupe/core";
import type { Operations } from "@troupe/core/service";
import { toInput, toJsonText, toOutput, toText } from "./content.ts";
import type { ContentRules } from "./content.ts";
import { attributes as names } from "./names.ts";
import { defined } from "./span-facts.ts";

type Contents = {
  readonly [Name in keyof Operations]?: {
    readonly begin?: (facts: Operations[Name]["begin"], rules: ContentRules) => Attributes;
    readonly end?: (facts: Operations[Name]["end"], rules: ContentRules) => Attributes;
  };
};

/** The attributes with content for each operation. The conventions make them optional. */
export const spanContents: Contents = {
  run: {
    begin: ({ input }, rules) => ({
      [names.inputMessages]: toInput([{ role: "user", content: input() }], rules).messages,
    }),
    end({ text, status }, rules) {
      const finishReason = status === "completed" ? "stop" : status;
      return { [names.outputMessages]: toOutput({ text: text(), finishReason }, rules) };
    },
  },
  model: {
    begin({ messages, tools }, rules) {
      const input = toInput(messages(), rules);
      const definitions = tools().map((tool) => ({ type: "function", ...tool }));
      return defined({
        [names.systemInstructions]: input.instructions,
        [names.inputMessages]: input.messages,
        [names.toolDefinitions]: definitions.length === 0 ? undefined : toJsonText(definitions, rules),
      });
    },
    end({ answer }, rules) {
      if (answer === undefined) return {};
      const { text, toolCalls, finishReason } = answer;
      return { [names.outputMessages]: toOutput({ text, toolCalls: toolCalls?.slice(), finishReason }, rules) };
    },
  },
  tool: {
    begin: ({ args }, rules) => ({ [names.toolArguments]: toJsonText(args(), rules) }),
    end({ result }, rules) {
      const content = result();
      return content === undefined ? {} : { [names.toolResult]: toText(getTextContent(content), rules) };
    },
  },
  retrieval: {
    begin({ query }, rules) {
      const text = query();
      return text === undefined ? {} : { [names.query]: toText(text, rules) };
    },
    end: ({ documents }, rules) => ({ [names.documents]: toJsonText(documents(), rules) }),
  },
};
