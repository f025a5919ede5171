export { agUi } from "./ag-ui.ts";
