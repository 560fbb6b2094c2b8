/** Start the login page on the shell's `#app`. */
import './styles/tokens.css'
import './styles/base.css'

import { createApp } from 'vue'

import { lang, useLang } from './i18n'
import { showTheme } from './stores/theme'
import LoginView from './views/LoginView.vue'

showTheme()
useLang(lang.value)
createApp(LoginView).mount('#app')
