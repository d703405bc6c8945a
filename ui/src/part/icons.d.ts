declare module "icons:used" {
  const icons: Record<string, [string, Record<string, string>][]>;
  export default icons;
}
declare module "icons:more" {
  const icons: Record<string, [string, Record<string, string>][]>;
  export default icons;
}
declare const __VERSION__: string;
declare const __FILES__: string[];
declare const __ADMIN_CSS__: string;
declare const __PAGES_CSS__: string;
