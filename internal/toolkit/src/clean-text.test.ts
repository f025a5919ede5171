import type { ToolDef } from "@troupe/core";
import { describe, expect, it } from "vitest";
import {
  cleanLines,
  cleanText,
  decodeEntities,
  enabledTools,
  htmlToLines,
  htmlToText,
  toolTimeoutMs,
} from "./index.ts";

describe("cleanText", () => {
  it.each<[string, number, string]>([
    ["abcd", 4, "abcd"],
    ["abcde", 4, "abc…"],
    ["ab cde", 4, "ab…"],
    [" a\u2028b\u2029c ", 9, "a b c"],
    [`${"\u200b".repeat(100)}abc`, 5, "abc"],
  ])("writes %j in %i characters as %j", (text, longest, expected) => {
    expect(cleanText(text, longest)).toBe(expected);
  });

  it("reads no more than it may need", () => {
    expect(cleanText(`${" ".repeat(1019)}ab`, 5)).toBe("a");
    expect(cleanLines(`${" ".repeat(1019)}ab`, 5)).toBe("a");
  });
});

describe("cleanLines", () => {
  it.each<[unknown, number, string]>([
    ["a\rb\u2028c\u2029d", 20, "a\nb\nc\nd"],
    ["a\n\nb", 20, "a\n\nb"],
    ["\n\na\n\n", 20, "a"],
    ["a\n\n\nb\n\n\n\nc", 20, "a\n\nb\n\nc"],
    ["abc\ndef", 5, "abc…"],
    [null, 5, ""],
  ])("writes %j in %i characters as %j", (text, longest, expected) => {
    expect(cleanLines(text, longest)).toBe(expected);
  });
});

describe("the text of HTML", () => {
  it.each([
    ["a<td>b</td>c", "a b c"],
    ["a<em>b</em>c", "abc"],
    ["a<BR/>b", "a b"],
    ["a<!doctype html>b<?xml?>c", "abc"],
    ["a<!-- b", "a"],
    ["a<unknown>b", "a<unknown>b"],
    ["a<script>b</script >c", "a c"],
    ["a<script>b</SCRIPT>c", "a c"],
    ["a<script>b</script>c<style>d</style>e<script>f</script>g", "a c e g"],
    ["a<!-- b -->c<!-- d -->e", "ace"],
    ["a<style>b<script>c</script>d<style>e", "a b d e"],
    ["a</script>b", "a b"],
    ["a<b", "a<b"],
    ["a<p title='x'>b", "a b"],
  ])("%j is %j", (html, text) => {
    expect(htmlToText(html, 100)).toBe(text);
  });

  it("is empty for what is no text", () => {
    expect([htmlToText(7, 9), htmlToLines(undefined, 9)]).toEqual(["", ""]);
  });

  it("reads a part in proportion to what is wanted", () => {
    const html = `${"<em >".repeat(2032)}a`;

    expect([htmlToText(html, 4), htmlToText(html, 5)]).toEqual(["", "a"]);
    expect([htmlToLines(html, 4), htmlToLines(html, 5)]).toEqual(["", "a"]);
  });
});

it.each([
  ["&#128;&#159;&#127;&#160;", "€Ÿ\u007f\u00a0"],
  ["&#x80;&#X41;", "€A"],
  ["&#1114111;&#1114112;", "\u{10ffff}\ufffd"],
  ["&#55295;&#55296;&#57343;&#57344;", "\ud7ff\ufffd\ufffd\ue000"],
  ["&nbsp;&yuml;&szlig;&Auml;", "\u00a0ÿßÄ"],
  ["&AMP;&amp&constructor;", "&AMP;&amp&constructor;"],
  ["&ZeroWidthSpace;&euro;&hellip;", "€…"],
])("cleanText decodes %j to %j", (text, expected) => {
  expect(decodeEntities(text)).toBe(expected);
});

describe("the tools of a toolkit", () => {
  const tool = (name: string): ToolDef => ({ name, description: "", parameters: {}, execute: async () => "" });
  const off = { option: "enableA", isEnabled: false, make: () => tool("a") };

  it("are those that are enabled, in their order", () => {
    const on = ["b", "c"].map((name) => ({ option: name, isEnabled: true, make: () => tool(name) }));

    expect(enabledTools("T", [off, ...on]).map(({ name }) => name)).toEqual(["b", "c"]);
  });

  it.each([
    [[off], "T has no tools, because enableA is false. Leave one of them out."],
    [
      [off, { ...off, option: "enableB" }],
      "T has no tools, because enableA and enableB are false. Leave one of them out.",
    ],
  ])("are at least one", (switches, message) => {
    expect(() => enabledTools("T", switches)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });

  it.each([
    [15_000, 20_000],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31 - 5001, 2 ** 31 - 1],
  ])("have a limit a little over their own of %i ms: %i", (given, expected) => {
    expect(toolTimeoutMs(given)).toBe(expected);
  });
});
