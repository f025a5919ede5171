import { toolTimeoutMs } from "@troupe-internal/toolkit";
import { defineTool, TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { readObject, readObjects, readText } from "@troupe/core/kit";
import { readRecipient, recipientParameter } from "./recipient.ts";
import type { RecipientOptions } from "./recipient.ts";
import type { WhatsAppApi } from "./whatsapp-api.ts";

/** The WhatsApp API of the sending tools, the time limit of a call in milliseconds, and the recipients. */
export type SendOptions = RecipientOptions & { readonly api: WhatsAppApi; readonly timeoutMs: number };

const longestParameter = 1024;
const mostParameters = 50;
const mostButtons = 10;

const parameters = (part: string) =>
  ({
    type: "array",
    description: `Values of the ${part}, in order, each with its name if the template has names for them.`,
    items: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: longestParameter },
        name: { type: "string", minLength: 1, maxLength: 100 },
      },
      required: ["text"],
      additionalProperties: false,
    },
    maxItems: mostParameters,
  }) as const;

const buttonParameters = {
  type: "array",
  description:
    "Values of buttons: the index of the button from 0, and the end of its address, or the text that a quick reply sends back.",
  items: {
    type: "object",
    properties: {
      index: { type: "integer", minimum: 0, maximum: mostButtons - 1 },
      type: { type: "string", enum: ["url", "quick_reply"] },
      text: { type: "string", minLength: 1, maxLength: longestParameter },
    },
    required: ["index", "type", "text"],
    additionalProperties: false,
  },
  maxItems: mostButtons,
} as const;

/** Makes the tool `whatsapp_send_template`. */
export function createSendTemplateTool({ api, timeoutMs, ...recipients }: SendOptions): ToolDef {
  return defineTool({
    name: "whatsapp_send_template",
    description:
      "Sends a template that WhatsApp has approved to one person, at once and for good. It is accepted at any time, also when the person has not written for 24 hours.",
    parameters: {
      type: "object",
      properties: {
        to: recipientParameter(recipients),
        name: {
          type: "string",
          description: "Name of the template, such as order_update.",
          maxLength: 512,
          pattern: "^[a-z0-9_]+$",
        },
        language: {
          type: "string",
          description: "Language code of the template, such as en_US.",
          maxLength: 20,
          pattern: "^[A-Za-z]{2,3}(_[A-Za-z]{2,4})?$",
        },
        header: parameters("header"),
        body: parameters("body"),
        buttons: buttonParameters,
      },
      required: ["name", "language"],
      additionalProperties: false,
    },
    effect: "once",
    timeoutMs: toolTimeoutMs(timeoutMs),
    execute: async (args, context) => {
      const to = readRecipient(args["to"], recipients);
      return await api.send({ to, type: "template", body: toTemplate(args) }, context);
    },
  });
}

function toTemplate(args: Readonly<Record<string, unknown>>) {
  const [name, code] = [readText(args["name"]), readText(args["language"])];
  if (name === "" || code === "") {
    throw new TroupeError("invalid_request", "A template needs name and language, such as order_update and en_US.");
  }
  const components = [
    ...toComponent("header", args["header"]),
    ...toComponent("body", args["body"]),
    ...readObjects(args["buttons"]).map(toButton),
  ];
  return { name, language: { code }, ...(components.length > 0 && { components }) };
}

function toComponent(type: string, values: unknown) {
  const given = readObjects(values);
  if (given.length === 0) return [];
  const named = given.filter((value) => value["name"] !== undefined).length;
  if (named > 0 && named < given.length) {
    throw new TroupeError(
      "invalid_request",
      `The values of ${type} must all have names or none, as in the template. Nothing was sent.`,
    );
  }
  return [{ type, parameters: given.map(toParameter) }];
}

function toParameter({ text, name }: Readonly<Record<string, unknown>>) {
  return { type: "text", ...(name !== undefined && { parameter_name: readText(name) }), text: readText(text) };
}

function toButton(button: Readonly<Record<string, unknown>>) {
  const { index, type, text } = readObject(button);
  const parameter =
    type === "quick_reply" ? { type: "payload", payload: readText(text) } : { type: "text", text: readText(text) };
  return { type: "button", sub_type: readText(type), index: String(index), parameters: [parameter] };
}
