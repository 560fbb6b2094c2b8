/**
 * The words of the console in two languages.
 *
 * `lang` is reactive: a template that calls `t()` is drawn again when it changes. Only the words of
 * the language that is spoken are fetched, before anything is drawn.
 */
import { ref } from 'vue'

import type { Lang } from '../api/types'
import type zh from './zh.json'

export type Key = keyof typeof zh
type Words = Record<Key, string>

const SOURCES: Record<Lang, () => Promise<{ default: Words }>> = {
  zh: () => import('./zh.json'),
  en: () => import('./en.json'),
}
const catalogues = {} as Record<Lang, Words>

/** Fetch the words of a language, once; `t` needs them. */
export async function loadWords(value: Lang): Promise<void> {
  catalogues[value] ??= (await SOURCES[value]()).default
}

/** The language to begin with: the last one chosen here, else the browser's, else Chinese. */
export function firstLang(stored: string | null, preferred: string): Lang {
  if (stored === 'zh' || stored === 'en') return stored
  return preferred.toLowerCase().startsWith('en') ? 'en' : 'zh'
}

export const lang = ref<Lang>(firstLang(localStorage.getItem('lang'), navigator.language))

/** Switch the language of this window and remember it for the next load. */
export async function useLang(value: Lang): Promise<void> {
  await loadWords(value)
  lang.value = value
  localStorage.setItem('lang', value)
  document.documentElement.lang = value === 'zh' ? 'zh-CN' : 'en'
}

/** Make a format once a language: making one costs more than many uses of it. */
export function perLang<T>(make: (lang: Lang) => T): () => T {
  const made = new Map<Lang, T>()
  return () => {
    const found = made.get(lang.value) ?? make(lang.value)
    made.set(lang.value, found)
    return found
  }
}

const numbers = perLang((each) => new Intl.NumberFormat(each))
const compact = perLang((each) => new Intl.NumberFormat(each, { notation: 'compact', maximumFractionDigits: 1 }))
const percents = perLang((each) => new Intl.NumberFormat(each, { style: 'percent' }))

/** The text for a key; `{name}` is replaced by the value of that name. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = catalogues[lang.value][key]
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => straight(String(values[name] ?? whole)))
}

/** A name within a sentence, without the signs that would turn the words around it. */
function straight(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Whether there is a text for something that the server named. */
export function isKey(key: string): key is Key {
  return key in catalogues[lang.value]
}

type Counted = { [K in Key]: K extends `${infer Stem}.one` ? Stem : never }[Key]

/** The text for a count, from `<stem>.one` or `<stem>.other`. */
export function tn(stem: Counted, n: number): string {
  const form = new Intl.PluralRules(lang.value).select(n) === 'one' ? 'one' : 'other'
  return t(`${stem}.${form}` as Key, { n: formatNumber(n) })
}

/** A size in the unit that fits: "12 KB", "1.4 MB". */
export function formatBytes(size: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(size, 1)) / Math.log(1024)), 2)
  const unit = (['byte', 'kilobyte', 'megabyte'] as const)[power]
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: power && 1 } as const
  return new Intl.NumberFormat(lang.value, format).format(size / 1024 ** power)
}

/** An amount with its currency; small amounts keep the digits that say something. */
export function formatMoney(amount: number, currency = ''): string {
  const small = amount > 0 && amount < 0.1
  const digits: Intl.NumberFormatOptions = small
    ? { minimumSignificantDigits: 1, maximumSignificantDigits: 2 }
    : { maximumFractionDigits: 2 }
  const named: Intl.NumberFormatOptions = currency ? { style: 'currency', currency } : {}
  return new Intl.NumberFormat(lang.value, { ...named, ...digits }).format(amount)
}

/** Put the space between a number and a Chinese word that the browser's formats leave out. */
export function spaced(text: string): string {
  return text.replace(/(\d)(?=\p{Script=Han})/gu, '$1 ')
}

const COMPACT_FROM = 10_000

/** A share as a whole percentage. */
export function formatPercent(share: number): string {
  return percents().format(share)
}

/** A number in few signs once it is large: "1,207", "1.4M", "138 万". */
export function formatCompact(n: number): string {
  if (Math.abs(n) < COMPACT_FROM) return formatNumber(n)
  return spaced(compact().format(n))
}

export function formatNumber(n: number): string {
  return numbers().format(n)
}
