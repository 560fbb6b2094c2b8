/** The login page, drawn on `#app`. */
import { createApp } from 'vue'

import { lang, useLang } from './i18n'
import LoginView from './views/LoginView.vue'

void useLang(lang.value).then(() => createApp(LoginView).mount('#app'))
