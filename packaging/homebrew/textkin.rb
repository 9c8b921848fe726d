# Filled by `cargo xtask dist manifests`.
class Textkin < Formula
  desc "Find documents that share text: copies, near-duplicates, quotations"
  homepage "https://github.com/textkin/textkin"
  version "{{version}}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/textkin/textkin/releases/download/v{{version}}/textkin-{{version}}-aarch64-apple-darwin.tar.gz"
      sha256 "{{sha256 textkin-{{version}}-aarch64-apple-darwin.tar.gz}}"
    end
    on_intel do
      url "https://github.com/textkin/textkin/releases/download/v{{version}}/textkin-{{version}}-x86_64-apple-darwin.tar.gz"
      sha256 "{{sha256 textkin-{{version}}-x86_64-apple-darwin.tar.gz}}"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/textkin/textkin/releases/download/v{{version}}/textkin-{{version}}-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 textkin-{{version}}-aarch64-unknown-linux-gnu.tar.gz}}"
    end
    on_intel do
      url "https://github.com/textkin/textkin/releases/download/v{{version}}/textkin-{{version}}-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 textkin-{{version}}-x86_64-unknown-linux-gnu.tar.gz}}"
    end
  end

  def install
    bin.install "textkin"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/textkin.bash" => "textkin"
    fish_completion.install "completions/textkin.fish"
    zsh_completion.install "completions/_textkin"
    doc.install "THIRD-PARTY.txt"
  end

  service do
    run [opt_bin/"textkin", "serve", "--data", var/"textkin"]
    keep_alive true
    log_path var/"log/textkin.log"
    error_log_path var/"log/textkin.log"
  end

  test do
    (testpath/"a.txt").write "the same eight words appear in this text"
    (testpath/"b.txt").write "here the same eight words appear in this text too"
    assert_match "1 pair", shell_output("#{bin}/textkin discover #{testpath}")
  end
end
