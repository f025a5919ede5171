import { describe, expect, it } from "vitest";
import { showLinks } from "./show-links.ts";

const link = (href: string, text: string) => `<a href="${href}">${text}</a>`;

describe("showLinks", () => {
  it.each<[string, string]>([
    [link("https://a.example/x", "here"), '<a href="https://a.example/x">here (https://a.example/x)</a>'],
    [link("mailto:ann@example.com", "write"), '<a href="mailto:ann@example.com">write (mailto:ann@example.com)</a>'],
    ["<a href='http://a.example'>here</a>", "<a href='http://a.example'>here (http://a.example)</a>"],
    ["<a href=http://a.example>here</a>", "<a href=http://a.example>here (http://a.example)</a>"],
    [
      '<A CLASS="x" HREF = " HTTPS://a.example " id=1>here</A >',
      '<A CLASS="x" HREF = " HTTPS://a.example " id=1>here (HTTPS://a.example)</A >',
    ],
    ['<a\nhref="http://a.example">here</a>', '<a\nhref="http://a.example">here (http://a.example)</a>'],
  ])("writes the address behind the text of a link: %s", (html, shown) => {
    expect(showLinks(`before ${html} after`)).toBe(`before ${shown} after`);
  });

  it.each([
    link("https://a.example/x", "https://a.example/x"),
    link("https://a.example/x", " a.example/x "),
    link("HTTP://a.example", "a.example"),
    link("mailto:ann@example.com", "ann@example.com"),
    link("javascript:alert(1)", "here"),
    link("ftp://a.example", "here"),
    link("/relative", "here"),
    link("#top", "here"),
    link("", "here"),
    link(" ", "here"),
    link(`https://a.example/${"x".repeat(483)}`, "here"),
    "<a>here</a>",
    '<a name="x">here</a>',
    '<abbr href="http://a.example">here</abbr>',
    '<a data-href="http://a.example">here</a>',
    '<a href="http://a.example">never closed',
    "</a>",
    "",
    "a < b",
  ])("leaves what says its address, or has none for people, as it is: %s", (html) => {
    expect(showLinks(html)).toBe(html);
  });

  it("shows addresses of up to 500 characters", () => {
    const address = `https://a.example/${"x".repeat(482)}`;

    expect([address.length, showLinks(link(address, "here"))]).toEqual([500, link(address, `here (${address})`)]);
  });

  it("shows each of several links, and ends one where the next begins", () => {
    const [one, two] = ["http://a.example/1", "http://a.example/2"];

    expect(showLinks(`${link(one, "1")}, ${link(two, "<b>2</b>")}`)).toBe(
      `${link(one, `1 (${one})`)}, ${link(two, `<b>2</b> (${two})`)}`,
    );
    expect(showLinks(`<a href="${one}">1<a href="${two}">2</a> rest</a>`)).toBe(
      `<a href="${one}">1 (${one})<a href="${two}">2 (${two})</a> rest</a>`,
    );
    expect(showLinks(`<a href="${one}">1<a href="">2</a></a>`)).toBe(`<a href="${one}">1 (${one})<a href="">2</a></a>`);
  });

  it("takes time in proportion to the text", () => {
    const html = '<a href="http://a.example" '.repeat(20_000);

    expect(showLinks(html)).toBe(html);
  });
});
