import Theme from "vitepress/theme";
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet is loaded by its import
import "./style.css";

// oxlint-disable-next-line import/no-default-export -- VitePress reads the default export
export default Theme;
