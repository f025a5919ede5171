/** What the page loads, as seen from where it is. */
type PageLinks = { title: string; script: string; bundle: string; style: string; icon: string; spec: string };

/** The page of the docs: empty, until its scripts fill it. */
export function docsPage({ title, script, bundle, style, icon, spec }: PageLinks): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" type="image/png" href="${escapeHtml(icon)}">
    <link rel="stylesheet" href="${escapeHtml(style)}">
  </head>
  <body>
    <div id="docs" data-spec="${escapeHtml(spec)}"></div>
    <noscript>This page needs JavaScript. What it shows is at <a href="${escapeHtml(spec)}">${escapeHtml(spec)}</a>.</noscript>
    <script src="${escapeHtml(bundle)}"></script>
    <script src="${escapeHtml(script)}"></script>
  </body>
</html>
`;
}

/** Starts the page. What is entered there is kept nowhere, and what the address says of it does not count. */
export const docsScript = `SwaggerUIBundle({
  domNode: document.getElementById("docs"),
  url: document.getElementById("docs").dataset.spec,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: false,
  validatorUrl: null,
});
`;

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
