/** How a phone's state is said and coloured, the same on every page. */
import type { Device } from '../api/types'
import { t } from '../i18n'
import { isMine } from '../stores/devices'

type Tone = 'good' | 'info' | 'warn' | 'bad' | 'off'

const TONES: Record<Device['state'], Tone> = {
  ready: 'good',
  connecting: 'info',
  unauthorized: 'warn',
  sick: 'warn',
  offline: 'bad',
}

export function tone(item: Device): Tone {
  if (item.state === 'ready' && item.lease) return 'info'
  return TONES[item.state]
}

/** Who holds the phone, for example "AI · Find a restaurant"; empty when nobody does. */
export function holderWords(item: Device): string {
  if (!item.lease) return ''
  return isMine(item) ? t('holder.you') : item.lease.label || t(`holder.${item.lease.holder}`)
}

/** The state in a word, or what kind of hands hold the phone. */
export function stateWords(item: Device): string {
  if (item.state !== 'ready' || !item.lease) return t(`state.${item.state}`)
  return isMine(item) ? t('holder.you') : t(`holder.${item.lease.holder}`)
}
