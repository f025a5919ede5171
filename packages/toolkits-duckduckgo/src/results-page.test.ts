import { describe, expect, it } from "vitest";
import { readResultsPage, saysNoResults } from "./results-page.ts";

const link = (href: string, title = "T", name = "result__a") => `<a class="x ${name}" href="${href}">${title}</a>`;
const snippet = (text: string, name = "result__snippet") => `<a class='${name}' href='/x'>${text}</a>`;
const behind = (url: string) => `//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=1`;
const hit = (name: string, more: object = {}) => ({
  title: "T",
  url: `https://${name}.example/`,
  snippet: "",
  ...more,
});

describe("readResultsPage", () => {
  it.each<[string, string, object[]]>([
    ["a link", link("https://a.example/"), [hit("a")]],
    ["a link of the other version", link("https://a.example/", "T", "result-link"), [hit("a")]],
    ["a link in single quotes", "<a href='https://a.example/' class='result__a'>T</a>", [hit("a")]],
    ["a link with a snippet", link("https://a.example/") + snippet("<b>S</b>"), [hit("a", { snippet: "S" })]],
    [
      "a snippet of the other version",
      `${link("https://a.example/")}<td class="result-snippet">S</td>`,
      [hit("a", { snippet: "S" })],
    ],
    [
      "the first snippet of a link",
      link("https://a.example/") + snippet("S") + snippet("R"),
      [hit("a", { snippet: "S" })],
    ],
    ["no snippet before its link", snippet("S") + link("https://a.example/"), [hit("a")]],
    ["no snippet of an ad", link("https://duckduckgo.com/y.js?x") + snippet("S"), []],
    [
      "each address once, with its first title",
      link("https://a.example/", "One") + link("https://b.example/") + link("https://a.example/", "Two") + snippet("S"),
      [hit("a", { title: "One" }), hit("b")],
    ],
    ["the address behind a redirect", link(behind("https://a.example/")), [hit("a")]],
    [
      "the address behind two",
      link(behind(`https:${behind("https://a.example/").replaceAll("&amp;", "&")}`)),
      [hit("a")],
    ],
    ["the address behind a relative one", link("/l/?uddg=https%3A%2F%2Fa.example%2F"), [hit("a")]],
    [
      "the address behind one of a subdomain",
      link("https://html.duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F"),
      [hit("a")],
    ],
    [
      "the address of a page of DuckDuckGo that is no redirect",
      link("https://duckduckgo.com/about?uddg=https%3A%2F%2Fa.example%2F"),
      [hit("a", { url: "https://duckduckgo.com/about?uddg=https%3A%2F%2Fa.example%2F" })],
    ],
    ["no ad behind a redirect", link(behind("https://duckduckgo.com/y.js?ad=1")), []],
    ["no program behind a redirect", link(behind("javascript:alert(1)")), []],
    ["no link within DuckDuckGo", link("/settings") + link("javascript:alert(1)"), []],
    [
      "a page of another host of the same name",
      link("https://notduckduckgo.com/y.js"),
      [hit("a", { url: "https://notduckduckgo.com/y.js" })],
    ],
    ["no other link", '<a class="result__ab" href="https://a.example/">T</a><abbr class="result__a">T</abbr>', []],
    ["a link without its end", '<a class="result__a" href="https://a.example/">T', [hit("a")]],
    ["no tag without its end", '<a class="result__a" href="https://a.example/"', []],
    ["nothing", "", []],
  ])("finds %s", (_, html, hits) => {
    expect(readResultsPage(html)).toEqual(hits);
  });

  it.each<[length: number, count: number]>([
    [4000, 1],
    [4001, 0],
  ])("reads attributes that end after %i characters: %i hits", (length, count) => {
    const [before, after] = ['<a class="result__a" title="', '" href="https://a.example/"'];
    const html = `${before}${"x".repeat(length - before.length - after.length)}${after}>T</a>`;

    expect(readResultsPage(html)).toHaveLength(count);
  });

  it("reads 200 elements, and each by itself", () => {
    const html = Array.from({ length: 201 }, (_, index) => link(`https://a.example/${index}`)).join("");

    expect(readResultsPage(html)).toHaveLength(200);
    expect(readResultsPage(html)).toHaveLength(200);
  });
});

it.each([
  ['<div class="no-results">', true],
  ["<div class = 'a no-results b'>", true],
  ["<b>No results.</b>", true],
  ["<b> No more results </b>", true],
  ["<b>no  results</b>", true],
  ["<b>No results for cats</b>", false],
  ["No results.", false],
  ['<input value="no-results">', false],
  ['<div class="yes-results">', false],
])("the reader of results knows that %j says that there are none: %j", (html, expected) => {
  expect(saysNoResults(html)).toBe(expected);
});
