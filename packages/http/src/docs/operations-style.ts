/**
 * The part of the docs page's style sheet for operations: their groups, methods, paths and parameters. Each kind of method
 * has its tone.
 */
export const operationsStyle = `.swagger-ui .opblock-tag {
  padding: 0.9rem 0.25rem 0.5rem;
  border-color: var(--line);
  font-size: 1.125rem;
  font-weight: 650;
}

.swagger-ui .opblock-tag:hover {
  background: none;
}

.swagger-ui .opblock-tag small,
.swagger-ui .opblock-summary-description,
.swagger-ui :is(.parameter__in, .parameter__type, .parameter__extension, .response-col_links, .model-hint, .servers-title),
.swagger-ui :is(.renderedMarkdown p, .response-control-media-type__accept-message, .prop-format) {
  color: var(--muted);
  font-size: 0.875rem;
}

.swagger-ui .opblock {
  margin: 0 0 0.5rem;
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
}

.swagger-ui .opblock-get {
  --tone: var(--accent);
}

.swagger-ui .opblock-post {
  --tone: var(--good);
}

.swagger-ui .opblock-delete {
  --tone: var(--bad);
}

.swagger-ui :is(.opblock-patch, .opblock-put) {
  --tone: var(--warm);
}

.swagger-ui .opblock .opblock-summary {
  padding: 0.3rem 0.5rem;
  border-color: var(--line);
}

.swagger-ui .opblock .opblock-summary-method {
  min-width: 4.2rem;
  padding: 0.3rem 0.5rem;
  background: color-mix(in srgb, var(--tone) 12%, transparent);
  border-radius: 0.5rem;
  color: var(--tone);
  font-size: 0.75rem;
  font-weight: 700;
}

.swagger-ui .opblock .opblock-summary-path {
  max-width: none;
  overflow-wrap: anywhere;
  font: 600 0.8125rem/1.5 var(--mono);
}

.swagger-ui :is(.opblock-summary-path, .opblock-tag) a {
  color: inherit;
  text-decoration: none;
}

.swagger-ui .opblock-section-header {
  padding: 0.5rem 1rem;
  background: var(--sunken);
}

.swagger-ui .opblock-section-header h4,
.swagger-ui .opblock .tab-header h4,
.swagger-ui table thead :is(td, th) {
  font-size: 0.8125rem;
  font-weight: 600;
}

.swagger-ui .tab-header .tab-item.active h4 span::after {
  background: var(--accent);
}

.swagger-ui .parameter__name.required span,
.swagger-ui .parameter__name.required::after {
  color: var(--bad);
}

.swagger-ui :is(.parameter__name, .response-col_status, .tab li, label) {
  font-size: 0.875rem;
}

.swagger-ui :is(.prop-type, .model .property.primitive) {
  color: var(--accent);
}`;
