/** An event of AG-UI. Optional fields are absent and never null. */
export type AgUiEvent = { readonly type: string; readonly [field: string]: unknown };
