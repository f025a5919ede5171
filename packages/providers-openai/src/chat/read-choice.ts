import { toVendorFailure } from "../vendor-failure.ts";
import type { ChatUsage, WireChoice, WireCompletion, WireContent } from "./wire-types.ts";

/** The one alternative of an answer, or of a piece of one. An error, in whatever place servers put it, is thrown. */
export function readChoice({ error, object, message, choices }: WireCompletion): WireChoice | undefined {
  const choice = choices?.[0];
  if (object === "error") throw toVendorFailure({ message });
  const failure = error ?? choice?.error;
  if (failure !== undefined && failure !== null) throw toVendorFailure(failure);
  if (choice?.finish_reason === "error")
    throw toVendorFailure({ code: 502, message: "The answer ended with an error." });
  return choice;
}

/** What an answer, or a piece of one, says of its price. */
export function usageOf({ usage, x_groq: groq }: WireCompletion): ChatUsage | undefined {
  return usage ?? groq?.usage ?? undefined;
}

/** The text of a content in either form. */
export function textOf(content: WireContent | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join("");
}

/** Arguments as text: most servers send text, some an object, some nothing. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
