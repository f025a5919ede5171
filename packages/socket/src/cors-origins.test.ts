import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { allowsOrigin } from "./cors-origins.ts";

const own = "https://app.example";
const requestOf = (origin: string | undefined): IncomingMessage => ({ headers: { origin } }) as IncomingMessage;
const allows = async (cors: unknown, origin?: string): Promise<boolean> => await allowsOrigin(cors, requestOf(origin));

type Choose = (error: unknown, chosen?: unknown) => void;

describe("allowsOrigin", () => {
  it.each<[string, unknown]>([
    ["no options", undefined],
    ["null", null],
    ["false", false],
    ["an empty string", ""],
    ["the origin false", { origin: false }],
    ["no origin", { origin: undefined }],
    ["an empty array", { origin: [] }],
    ["an empty string as origin", { origin: "" }],
    ["another origin", { origin: "https://other.example" }],
    ["another scheme", { origin: "http://app.example" }],
    ["another port", { origin: `${own}:444` }],
    ["the beginning of the origin", { origin: "https://app" }],
    ["another expression", { origin: /other/ }],
    ["others alone", { origin: ["https://other.example", /x\.example/, false] }],
    ["an error of the function", { origin: (_: unknown, choose: Choose) => choose(new Error("No."), true) }],
    ["a function that chooses nothing", { origin: (_: unknown, choose: Choose) => choose(null) }],
    ["a function that chooses another", { origin: (_: unknown, choose: Choose) => choose(null, "https://o.example") }],
    ["an error of the options", (_: unknown, choose: Choose) => choose(new Error("No."), { origin: "*" })],
    ["a function without options", (_: unknown, choose: Choose) => choose(null)],
  ])("refuses a page by %s", async (_, cors) => {
    expect(await allows(cors, own)).toBe(false);
  });

  it.each<[string, unknown]>([
    ["its origin as the options", own],
    ["its origin", { origin: own }],
    ["an array that has it", { origin: ["https://other.example", own] }],
    ["an array within an array", { origin: [[own]] }],
    ["an expression", { origin: /\.example$/ }],
    ["an expression among others", { origin: [/other/, /app\.example$/] }],
    ["a function", { origin: (origin: unknown, choose: Choose) => choose(null, origin === own && own) }],
    ["a function that chooses an array", { origin: (_: unknown, choose: Choose) => choose(null, [own]) }],
    [
      "options of a function, by the request",
      ({ headers }: IncomingMessage, choose: Choose) => choose(undefined, { origin: headers.origin }),
    ],
  ])("lets a page in by %s, and no program without an origin", async (_, cors) => {
    expect([await allows(cors, own), await allows(cors)]).toEqual([true, false]);
  });

  it.each<[string, unknown]>([
    ["true as the options", true],
    ["options without an origin", {}],
    ["the star", { origin: "*" }],
    ["the star as the options", "*"],
    ["true", { origin: true }],
    ["an array with the star", { origin: ["https://other.example", "*"] }],
    ["a function that lets all in", { origin: (_: unknown, choose: Choose) => choose(null, true) }],
    ["options that come later", (_: unknown, choose: Choose) => void setImmediate(() => choose(null, { origin: "*" }))],
  ])("lets everybody in by %s", async (_, cors) => {
    expect([await allows(cors, own), await allows(cors), await allowsOrigin(cors, null)]).toEqual([true, true, true]);
  });

  it.each(["g", "y", ""])("finds an expression with the flag %j at the same place each time", async (flag) => {
    const cors = { origin: new RegExp("^https://app", flag) };

    expect([await allows(cors, own), await allows(cors, own), await allows(cors, own)]).toEqual([true, true, true]);
  });
});
