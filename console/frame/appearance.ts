/** Light or dark, and how much contrast: kept in this browser. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const THEME = 'svc.theme';
const CONTRAST = 'svc.contrast';

export function theme(): Theme {
  const kept = localStorage.getItem(THEME);
  return THEMES.find((each) => each === kept) ?? 'system';
}

export function hasContrast(): boolean {
  return localStorage.getItem(CONTRAST) === 'more';
}

export function setTheme(next: Theme): void {
  localStorage.setItem(THEME, next);
  showAppearance();
}

export function setContrast(isMore: boolean): void {
  if (isMore) localStorage.setItem(CONTRAST, 'more');
  else localStorage.removeItem(CONTRAST);
  showAppearance();
}

export function showAppearance(): void {
  const { dataset } = document.documentElement;
  if (theme() === 'system') delete dataset['theme'];
  else dataset['theme'] = theme();
  if (hasContrast()) dataset['contrast'] = 'more';
  else delete dataset['contrast'];
}
