import type { Language } from "./language.ts";

const noScript: Readonly<Record<Language, string>> = {
  en: "This page needs JavaScript.",
  de: "Diese Seite braucht JavaScript.",
};

/** The content of the page's document: its title, relative links, and the settings of its script. */
export type PageContent = {
  readonly title: string;
  readonly script: string;
  readonly style: string;
  /** The link to the web font. @default fonts of the visitor's system */
  readonly font?: string;
  readonly icon: string;
  readonly settings: object;
  readonly language: Language;
  /** True for a shared chat, which search engines must not list. */
  readonly isShared?: boolean;
};

/** Returns the HTML of the page. Scripts and styles are separate files. */
export function pageDocument(content: PageContent): string {
  const { title, script, style, font, icon, settings, language, isShared } = content;
  return `<!doctype html>
<html lang="${language}" dir="ltr">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf9f7">
    <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#16161a">
    ${isShared === true ? '<meta name="robots" content="noindex, nofollow">\n    ' : ""}<title>${escapeHtml(title)}</title>
    <link rel="icon" type="image/svg+xml" href="${escapeHtml(icon)}">
    <link rel="stylesheet" href="${escapeHtml(style)}">
    ${fontLink(font)}<script type="module" src="${escapeHtml(script)}"></script>
  </head>
  <body${font === undefined ? "" : ' data-fonts="web"'}>
    <div id="page" data-settings="${escapeHtml(JSON.stringify(settings))}"></div>
    <noscript>${noScript[language]}</noscript>
  </body>
</html>
`;
}

/** Returns the link that loads the font together with the style sheet, in place of after it. */
function fontLink(font: string | undefined): string {
  if (font === undefined) return "";
  return `<link rel="preload" as="font" type="font/woff2" href="${escapeHtml(font)}" crossorigin>\n    `;
}

/** The icon of the page: three masks of a troupe, as overlapping circles. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <circle cx="16" cy="11" r="8" fill="#7c5cff"/>
  <circle cx="10.5" cy="20.5" r="8" fill="#ff6b57" fill-opacity=".9"/>
  <circle cx="21.5" cy="20.5" r="8" fill="#f5b83d" fill-opacity=".88"/>
</svg>
`;

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
