import { cleanText, toolTimeoutMs } from "@troupe-internal/toolkit";
import { defineTool, TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { readText } from "@troupe/core/kit";
import type { GmailApi } from "./gmail-api.ts";
import { buildMail } from "./mime/build-mail.ts";
import { longestId } from "./read-message.ts";
import { readRecipients } from "./recipients.ts";
import type { RecipientLimits } from "./recipients.ts";

const longestSubject = 500;
const longestText = 100_000;
const mostReferences = 50;

/** The mailbox of a sending tool, the time limit of a call in milliseconds, and its recipients. */
export type SendOptions = RecipientLimits & { readonly api: GmailApi; readonly timeoutMs: number };

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Makes the tool `gmail_send`. A mail whose answer was lost is never sent again; the error says that it may have been
 * sent.
 */
export function createSendTool({ api, timeoutMs, ...limits }: SendOptions): ToolDef {
  return defineTool({
    name: "gmail_send",
    description: describe(limits),
    parameters: parametersFor(limits.maxRecipients),
    effect: "once",
    timeoutMs: toolTimeoutMs(timeoutMs),
    execute: async (args, context) => {
      const { raw, threadId, recipients } = readMailArguments(args, limits);
      const sent = await api.call(context, async (ask) => {
        return await ask("/gmail/v1/users/me/messages/send", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ raw, ...(threadId !== undefined && { threadId }) }),
          lostAnswerAdvice: "Search in:sent before you send it again.",
        });
      });
      return {
        sent: true,
        id: cleanText(sent["id"], longestId),
        threadId: cleanText(sent["threadId"], longestId),
        recipients,
      };
    },
  });
}

function describe({ allowedRecipients }: RecipientLimits): string {
  const allowed = allowedRecipients === undefined ? "" : " Only recipients that the operator has allowed are accepted.";
  return `Sends a mail as plain text from the user's Gmail account, at once and for good.${allowed} To answer a mail, pass its threadId, its messageId as inReplyTo, and its subject, all from gmail_read.`;
}

function parametersFor(maxRecipients: number) {
  const list = (description: string) =>
    ({
      type: "array",
      description,
      items: { type: "string", minLength: 3, maxLength: 500 },
      maxItems: maxRecipients,
    }) as const;
  const id = (description: string) => ({ type: "string", description, minLength: 1, maxLength: 500 }) as const;
  return {
    type: "object",
    properties: {
      to: {
        ...list(
          `Recipients, each as ann@example.com or Ann Lee <ann@example.com>. At most ${maxRecipients} with cc and bcc.`,
        ),
        minItems: 1,
      },
      cc: list("Recipients of a copy, seen by all."),
      bcc: list("Recipients of a copy, seen by no one else."),
      replyTo: id("Address that answers go to, if not to the sender."),
      subject: { type: "string", description: "Subject, one line.", minLength: 1, maxLength: longestSubject },
      text: {
        type: "string",
        description: "The mail as plain text, without HTML or Markdown.",
        minLength: 1,
        maxLength: longestText,
      },
      threadId: id("Of an answer: threadId of the mail that it answers. Needs inReplyTo."),
      inReplyTo: id(
        "Of an answer: messageId of the mail that it answers, such as <abc@mail.example.com>. Needs threadId.",
      ),
      references: {
        type: "array",
        description: "Of an answer: references of the mail that it answers, if it has any.",
        items: { type: "string", minLength: 5, maxLength: 500 },
        maxItems: mostReferences,
      },
    },
    required: ["to", "subject", "text"],
    additionalProperties: false,
  } as const;
}

/**
 * Builds the mail of a `gmail_send` call. Throws before anything is sent if an argument is wrong or a recipient is not
 * allowed.
 */
function readMailArguments(args: Arguments, limits: RecipientLimits) {
  const { to, cc, bcc, replyTo } = readRecipients(args, limits);
  const subject = readString(args, "subject", longestSubject);
  const text = readString(args, "text", longestText);
  const answer = readAnswerArguments(args);
  const mail = buildMail({ to, cc, bcc, replyTo, subject, text, ...answer });
  const recipients = to.length + cc.length + bcc.length;
  return { raw: Buffer.from(mail).toString("base64url"), threadId: answer?.threadId, recipients };
}

function readAnswerArguments(args: Arguments) {
  const [threadId, inReplyTo] = [readText(args["threadId"]), readText(args["inReplyTo"])];
  if (threadId === "" && inReplyTo === "") return undefined;
  if (threadId === "" || inReplyTo === "") {
    throw new TroupeError(
      "invalid_request",
      "threadId and inReplyTo belong together. Pass both as gmail_read returned them (inReplyTo is its messageId), or neither.",
    );
  }
  const { references } = args;
  return {
    threadId,
    inReplyTo,
    references: Array.isArray(references) ? references.slice(-mostReferences).map(String) : [],
  };
}

function readString(args: Arguments, name: string, longest: number): string {
  const text = readText(args[name]);
  if (text.trim() !== "" && text.length <= longest) return text;
  throw new TroupeError("invalid_request", `${name} must be a text of 1 to ${longest} characters that is not blank.`);
}
