/** The title of the docs page, and the relative links to its files. */
type PageLinks = { title: string; script: string; bundle: string; style: string; icon: string; spec: string };

/** Returns the HTML of the docs page. Its scripts load Swagger UI, which shows the OpenAPI document at `spec`. */
export function docsPage({ title, script, bundle, style, icon, spec }: PageLinks): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="${escapeHtml(`The operations of ${title}.`)}">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" type="image/png" href="${escapeHtml(icon)}">
    <link rel="stylesheet" href="${escapeHtml(style)}">
  </head>
  <body>
    <div id="docs" data-spec="${escapeHtml(spec)}"></div>
    <noscript>This page needs JavaScript. The description that it shows is at <a href="${escapeHtml(spec)}">${escapeHtml(spec)}</a>.</noscript>
    <script src="${escapeHtml(bundle)}"></script>
    <script src="${escapeHtml(script)}"></script>
  </body>
</html>
`;
}

/**
 * The browser script that starts Swagger UI on the docs page. It stores no input and reads no settings from the query.
 * Form fields start with their examples, and empty fields are not sent, because the library would invent keys and ids.
 * Streams are shown as they arrive; the library would wait for their end. Schemas are collapsed. Headings get the levels
 * that follow from each other, and fields their names, which the library leaves out.
 */
export const docsScript = `function exampleOfField(field) {
  const { example, type } = field.toJS();
  return example ?? (type === "array" ? [] : "");
}

function proposeOnlyExamples({ fn: { getSampleSchema } }) {
  return {
    components: { ParameterIncludeEmpty: () => null },
    fn: {
      getSampleSchema: (schema, type, ...rest) =>
        type === false ? exampleOfField(schema) : getSampleSchema(schema, type, ...rest),
    },
  };
}

function readAsStream({ response, startedAt, show }) {
  const copy = response.clone();
  const facts = { url: copy.url, status: copy.status, headers: Object.fromEntries(copy.headers) };
  const decoder = new TextDecoder();
  const reader = copy.body.getReader();
  let [text, isDone, frame] = ["", false, 0];
  const draw = () => {
    frame = 0;
    if (!isDone) show({ ...facts, ok: copy.ok, text, data: text, duration: Date.now() - startedAt });
  };
  const read = async () => {
    const { value, done } = await reader.read();
    isDone = done;
    if (done) return;
    text += decoder.decode(value, { stream: true });
    frame ||= setTimeout(draw, 50);
    await read();
  };
  read().catch(() => undefined);
}

function showStreams({ fn: { execute }, getSystem }) {
  const fetchShown = (request) => async (url, init) => {
    const startedAt = Date.now();
    const response = await fetch(url, init);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const show = (partial) => getSystem().specActions.setResponse(request.pathName, request.method, partial);
    if (isStream) readAsStream({ response, startedAt, show });
    return response;
  };
  return { fn: { execute: (request) => execute({ ...request, userFetch: fetchShown(request) }) } };
}

const levels = { H2: 2, H3: 2, H4: 3, H5: 4 };

function nameOfField(field) {
  const row = field.closest("[data-param-name]");
  if (row !== null) return row.dataset.paramName;
  return field.closest(".servers") === null ? "Choice" : "Server";
}

function nameParts() {
  for (const heading of docs.querySelectorAll("h2, h3, h4, h5"))
    if (!heading.hasAttribute("aria-level")) heading.setAttribute("aria-level", levels[heading.tagName]);
  for (const field of docs.querySelectorAll("select, input:not([type=file]), textarea")) {
    const isNamed = [...field.labels].some((label) => label.textContent.replace(field.textContent, "").trim() !== "");
    if (!isNamed && !field.hasAttribute("aria-label")) field.setAttribute("aria-label", nameOfField(field));
  }
  // Keys scroll only what can have the focus.
  for (const text of docs.querySelectorAll("pre:is(.microlight, .curl):not([tabindex])")) text.tabIndex = 0;
  for (const [selector, name] of [[".information-container", "About"], [".scheme-container", "Server and keys"]])
    for (const part of docs.querySelectorAll(selector + ":not([role])")) {
      part.setAttribute("role", "region");
      part.setAttribute("aria-label", name);
    }
}

const docs = document.getElementById("docs");
let named = 0;
new MutationObserver(() => {
  named ||= requestAnimationFrame(() => {
    named = 0;
    nameParts();
  });
}).observe(docs, { childList: true, subtree: true });

SwaggerUIBundle({
  domNode: docs,
  url: docs.dataset.spec,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [proposeOnlyExamples, showStreams],
  defaultModelsExpandDepth: 0,
  layout: "BaseLayout",
  syntaxHighlight: false,
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: false,
  validatorUrl: null,
});
`;

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
