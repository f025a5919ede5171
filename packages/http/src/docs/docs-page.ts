/** The title of the page, and relative links to what it loads. */
type PageLinks = { title: string; script: string; bundle: string; style: string; icon: string; spec: string };

/**
 * Returns the HTML of the docs page, which shows the OpenAPI document at `spec`: Swagger UI, loaded by its scripts,
 * fills it.
 */
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
    <noscript>This page needs JavaScript. The description that it shows is at <a href="${escapeHtml(spec)}">${escapeHtml(spec)}</a>.</noscript>
    <script src="${escapeHtml(bundle)}"></script>
    <script src="${escapeHtml(script)}"></script>
  </body>
</html>
`;
}

/**
 * The browser script that starts Swagger UI on the docs page. It stores nothing that is entered, and takes no settings
 * from the query. The fields of a form begin with their examples, and empty ones are not sent: the library would
 * make keys and ids up.
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

SwaggerUIBundle({
  domNode: document.getElementById("docs"),
  url: document.getElementById("docs").dataset.spec,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [proposeOnlyExamples],
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
