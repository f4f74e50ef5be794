# bash completion for skein. Asks the program itself for its commands and options, so that it cannot
# fall behind.
_skein() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      --) return 0 ;; # the traced program's own words
      -*) ;;
      *) command=$word; break ;;
    esac
  done
  if [ -z "$command" ]; then
    local words
    words=$(skein --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$current")
    return 0
  fi
  case $previous in
    --mode) mapfile -t COMPREPLY < <(compgen -W "ring log" -- "$current"); return 0 ;;
  esac
  case $command/$current in
    */-*)
      local options
      options=$(skein "$command" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,')
      mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    control/*)
      mapfile -t COMPREPLY < <(compgen -W "status start stop snapshot" -- "$current"
                               compgen -f -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _skein skein
