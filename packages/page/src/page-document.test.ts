import { expect, it } from "vitest";
import { pageDocument, pageIcon } from "./page-document.ts";

it("pageDocument has its links, title and settings, each escaped, and no script or style of its own", () => {
  const settings = { title: `"><b>`, suggestions: { a: ["'&"] }, api: "/" };
  const content = { title: `A & "B" <i>'`, script: `s"<`, style: `t'>`, icon: "i&", settings, language: "en" as const };
  expect(pageDocument(content)).toBe(`<!doctype html>
<html lang="en" dir="ltr">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf9f7">
    <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#16161a">
    <title>A &#38; &#34;B&#34; &#60;i&#62;&#39;</title>
    <link rel="icon" type="image/svg+xml" href="i&#38;">
    <link rel="stylesheet" href="t&#39;&#62;">
    <script type="module" src="s&#34;&#60;"></script>
  </head>
  <body>
    <div id="page" data-settings="{&#34;title&#34;:&#34;\\&#34;&#62;&#60;b&#62;&#34;,&#34;suggestions&#34;:{&#34;a&#34;:[&#34;&#39;&#38;&#34;]},&#34;api&#34;:&#34;/&#34;}"></div>
    <noscript>This page needs JavaScript.</noscript>
  </body>
</html>
`);
});

it("pageDocument loads the web font together with its style sheet, before the script, and marks the document for it", () => {
  const content = { title: "A", script: "s.js", style: "s.css", icon: "i", settings: {}, language: "de" as const };
  const html = pageDocument({ ...content, font: 'f".woff2' });
  const link = `<link rel="preload" as="font" type="font/woff2" href="f&#34;.woff2" crossorigin>`;

  expect(html).toContain(`<html lang="de" dir="ltr">`);
  expect(html).toContain(`<body data-fonts="web">`);
  expect(html).toContain(`<link rel="stylesheet" href="s.css">\n    ${link}\n    <script`);
  expect(html.replace(` data-fonts="web"`, "").replace(`    ${link}\n`, "")).toBe(pageDocument(content));
});

it("pageDocument has an icon of three circles that loads nothing else", () => {
  expect(pageIcon.match(/<circle /g)).toHaveLength(3);
  expect(pageIcon.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|href|<script/);
  expect(pageIcon).toMatch(/^<svg [^>]*viewBox="0 0 32 32">\n[^]*<\/svg>\n$/);
});
